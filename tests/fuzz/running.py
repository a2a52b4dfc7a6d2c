"""One input tried: read or refused; anything else is a find, which is kept."""

import hashlib
import os
import resource
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzz.targets import TARGETS, NotTriedError
from nask.exceptions import NaskError
from nask.storage.read_limit import ROOM

HERE = Path(__file__).parent
CORPUS, CRASHES = HERE / "corpus", HERE / "crashes"
# Seconds of the processor for one input, and bytes of memory beyond what is taken before.
TIME, MEMORY = 10.0, 2_000_000_000
LONGEST_MESSAGE = 3000
# In memory where the system has such a folder: a disk would be most of the time.
FAST = Path("/dev/shm")


class TooLong(BaseException):
    """An input took more than its time; no reader may catch this."""


def inputs(target: str) -> list[bytes]:
    """Inputs that are kept: the corpus and the finds of old."""
    files = [*(CORPUS / target).glob("*"), *(CRASHES / target).glob("*")]
    return [file.read_bytes() for file in sorted(files)]


@contextmanager
def room() -> Iterator[Path]:
    """A folder for the files of inputs, gone afterwards."""
    folder = Path(tempfile.mkdtemp(dir=FAST if os.access(FAST, os.W_OK) else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Let the process have so much more memory than it has; asking for more is an error."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def bounded_time() -> Iterator[None]:
    """End what takes too long; not by the clock, since other work may run."""

    def stop(*_):
        raise TooLong(f"more than {TIME} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, TIME)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(target: str, data: bytes, folder: Path) -> str:
    """Try an input: "read", "refused" or "not tried"; whatever else happens is raised."""
    own = folder / "input"
    own.mkdir(exist_ok=True)
    try:
        with warnings.catch_warnings(), bounded_time():
            # A warning of numpy would be a find; those for users are not.
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            TARGETS[target](data, own)
    except NotTriedError:
        return "not tried"
    except NaskError as error:
        message = str(error)
        assert message, "an error without words"
        assert len(message) <= LONGEST_MESSAGE, f"an error of {len(message)} characters"
        return "refused"
    finally:
        if any(own.iterdir()):
            shutil.rmtree(own)
    return "read"


def place_of(error: BaseException) -> str:
    """What a find is known by: its type, and where in nask it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/nask/" in f.filename or "/fuzz/" in f.filename]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.name}"


def keep(target: str, data: bytes) -> Path:
    """Keep a find beside the tests, which try it from then on."""
    folder = CRASHES / target
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / hashlib.sha256(data).hexdigest()[:16]
    path.write_bytes(data)
    return path


assert ROOM < MEMORY
