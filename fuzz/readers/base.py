"""What a reader under test is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from fuzz.containers import Damage
from fuzz.mutate import TEXT, Mutation

FUZZ = Path(__file__).parent.parent
SEEDS, REGRESSIONS = FUZZ / "seeds", FUZZ / "regressions"

#: Reads a file and uses what it read, as a command would.
Read = Callable[[Path], object]


@dataclasses.dataclass(frozen=True)
class Reader:
    """A reader with the name that its inputs must have, and the damage that is done to its seeds."""

    name: str
    file: str
    #: Puts the files that belong to an input into a folder, and gives the function that reads the input there.
    prepare: Callable[[Path], Read]
    damage: Damage

    def seeds(self) -> list[bytes]:
        """The content of its seeds."""
        return [path.read_bytes() for path in self.seed_files()]

    def seed_files(self) -> list[Path]:
        """Its seeds."""
        return sorted((SEEDS / self.name).iterdir())

    def regressions(self) -> list[Path]:
        """Inputs that once failed."""
        return sorted((REGRESSIONS / self.name).glob("*"))


def plain(read: Read) -> Callable[[Path], Read]:
    """For readers of a single file."""
    return lambda folder: read


def text(name: str, file: str, read: Read, special: tuple[bytes, ...] = ()) -> Reader:
    """A reader of a single text file."""
    return Reader(name, file, plain(read), Mutation(TEXT, special))


def seed(reader: str) -> Path:
    """The first seed of a reader, for readers of several files."""
    return min((SEEDS / reader).iterdir())
