"""How long a client waits."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """How long a client waits, in seconds."""

    first_retry: float = 1.0
    longest_retry: float = 60.0
    """Each wait before connecting again is twice the last one, up to this."""
    longest_hurried_retry: float = 3.0
    """The same while a game is under way, whose clock goes on."""
    hurry: float = 3600.0
    """A game that was lost is hurried back to for its main time, but no longer than this."""
    tries: int = 30
    """Failed connections in a row after which the client gives up."""
    connect: float = 20.0
    login: float = 30.0
    """For the first line of the server."""
    silence: float = 130.0
    """In a game servers say something about once a minute; after this the connection counts as
    lost."""
    long_silence: float = 300.0
    """The same where a server may have nothing to say: while no game is under way, and in the
    games of servers that poll between them."""
    resume: float = 15.0
    """From connecting, for the game under way to come back, when an end was asked for."""
    steady: float = 60.0
    """A connection that held so long was a good one."""
    verdict: float = 3.0
    """A connection that is closed so soon after a line is closed because of it."""

    def retry_delay(self, failures: int, chance: float, *, is_hurried: bool = False) -> float:
        """The wait after so many failures in a row; `chance` between 0 and 1 spreads it."""
        delay = self.first_retry * 2.0 ** min(max(failures, 1) - 1, 30)
        longest = self.longest_hurried_retry if is_hurried else self.longest_retry
        return min(longest, self.longest_retry, delay) * (0.5 + chance / 2)
