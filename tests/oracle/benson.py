"""Unconditional life the obvious way: sets of blocks and regions, thinned until nothing changes."""

from tests.oracle.go import BLACK, WHITE, Spot, Stones, blocks_of, border_of, region_of, spots_of

Region = frozenset[Spot]


def regions_of(stones: Stones, size: int, color: int) -> set[Region]:
    """The connected sets of points without a stone of `color`."""
    own = {spot: color for spot, c in stones.items() if c == color}
    others = [spot for spot in spots_of(size) if spot not in own]
    return {frozenset(region_of(own, size, spot)) for spot in others}


def is_vital(region: Region, block: Region, stones: Stones, size: int) -> bool:
    """Whether the region lies beside the block and its empty points are all liberties of it."""
    beside = border_of(block, size)
    empties = {spot for spot in region if spot not in stones}
    return bool(empties) and empties <= beside


def living_blocks(
    stones: Stones, size: int, color: int
) -> tuple[set[Region], set[tuple[Region, Region]]]:
    """(blocks of `color` that live, pairs of such a block and a region vital to it)."""
    blocks = {frozenset(block) for block in blocks_of(stones, size, color)}
    regions = regions_of(stones, size, color)
    while True:
        vital = {(b, r) for b in blocks for r in regions if is_vital(r, b, stones, size)}
        alive = {b for b in blocks if sum(pair[0] == b for pair in vital) >= 2}
        points = {spot for block in alive for spot in block}
        own = {spot for spot, c in stones.items() if c == color}
        kept = {r for r in regions if border_of(r, size) & own <= points}
        if (alive, kept) == (blocks, regions):
            return alive, vital
        blocks, regions = alive, kept


def settled_owners(stones: Stones, size: int) -> dict[Spot, int]:
    """Owner of each spot that is settled beyond doubt, 0 elsewhere."""
    owners = dict.fromkeys(spots_of(size), 0)
    for color in (BLACK, WHITE):
        alive, vital = living_blocks(stones, size, color)
        for area in alive | {region for _, region in vital}:
            owners.update(dict.fromkeys(area, color))
    return owners
