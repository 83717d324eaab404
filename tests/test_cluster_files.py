"""The recipes for a cluster: what can be known of them without one."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLUSTER = ROOT / "cluster"
FAKES = {
    "scontrol": "printf 'n1\\nn2\\nn3\\n'",
    "srun": """case "$*" in
        *hostname*) echo 10.0.0.7 fe80::1;;
        *) echo "srun $* $RAY_AUTH_MODE=$RAY_AUTH_TOKEN" >> "$LOG";;
    esac""",
    "sleep": "exec /bin/sleep 0.1",
    "ray": '[ -z "${NO_RAY:-}" ]',
    "katachi": 'echo "katachi $* $RAY_AUTH_MODE=$RAY_AUTH_TOKEN" >> "$LOG"',
}


def run_slurm(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The job script among commands that only note how they were called."""
    for name, body in FAKES.items():
        file = folder / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/bash\n{body}\n")
        file.chmod(0o755)
    (folder / "bin" / "activate").touch()
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "LOG": str(folder / "log"),
        "KATACHI_ENV": str(folder),
        "SLURM_JOB_NODELIST": "n[1-3]",
        "SLURM_CPUS_PER_TASK": "16",
        **variables,
    }
    command = ["bash", str(CLUSTER / "slurm.sh"), *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_slurm_job_begins_ray_on_every_node_and_then_the_command(tmp_path: Path) -> None:
    done = run_slurm(tmp_path, "experiment", "run", "S1-F4")
    assert done.returncode == 0, done.stderr
    # The steps of the nodes go on beside the command: any line may be the last.
    command, *started = sorted((tmp_path / "log").read_text().splitlines())
    command, _, token = command.rpartition(" ")
    assert command == "katachi experiment run S1-F4 --on ray --address 10.0.0.7:6379"
    assert re.fullmatch("token=[0-9a-f]{64}", token)
    assert all(line.endswith(token) for line in started)
    assert [re.findall(r"--nodelist=(\w+)", line) for line in started] == [["n1"], ["n2"], ["n3"]]
    assert "--head --port=6379" in started[0]
    assert all("--address=10.0.0.7:6379" in line for line in started[1:])


def test_a_slurm_job_whose_first_node_has_no_ray_ends(tmp_path: Path) -> None:
    done = run_slurm(tmp_path, "doctor", NO_RAY="1")
    assert done.returncode == 1
    assert done.stderr == "Ray does not run on n1\n"


def test_a_slurm_job_without_a_command_says_so(tmp_path: Path) -> None:
    done = run_slurm(tmp_path)
    assert done.returncode == 2
    assert "say what to do" in done.stderr


def test_what_the_container_copies_is_there() -> None:
    text = (CLUSTER / "Dockerfile").read_text()
    copied = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY")]
    assert copied
    assert all((ROOT / name).exists() for names in copied for name in names)


def test_the_container_installs_extras_that_there_are() -> None:
    text = (CLUSTER / "Dockerfile").read_text()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (chosen,) = re.findall(r"^ARG EXTRAS=(.*)$", text, re.M)
    assert {"ray", *chosen.split(",")} <= set(extras["optional-dependencies"])
    assert 'pip install --no-cache-dir ".[${EXTRAS}]"' in text
    assert text.index("pip install") < text.index("RUN katachi warmup")


def test_the_file_of_a_growing_cluster_names_its_own_parts() -> None:
    text = (CLUSTER / "aws.yaml").read_text()
    (head,) = re.findall(r"^head_node_type: (\w+)$", text, re.M)
    assert f"\n  {head}:\n" in text
    (port,) = re.findall(r"--head --port=(\d+)", text)
    assert f"--address=$RAY_HEAD_IP:{port} " in text
    most = re.findall(r"^ *max_workers: (\d+)$", text, re.M)
    assert len(most) == 2
    assert len(set(most)) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray_takes_the_file_of_a_growing_cluster() -> None:
    pytest.importorskip("ray")
    import yaml  # type: ignore[import-untyped]
    from ray.autoscaler._private.util import (  # pyright: ignore[reportMissingImports]
        prepare_config,
        validate_config,
    )

    config = yaml.safe_load((CLUSTER / "aws.yaml").read_text())
    validate_config(prepare_config(config))
