"""The command as a process: its standard streams, signals, limits and exit code."""

from __future__ import annotations

import _thread
import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

from graphmt.cli.failures import behind, say, sentence


def run(command: Callable[[], object], *, in_a_program: bool = False) -> None:
    """Run the command and exit: whatever it raises becomes one sentence and an exit code.

    ``in_a_program`` is for callers that continue after the ``SystemExit``: signal handlers are restored.
    """
    with _signals(in_a_program) as came:
        try:
            _open_streams()
            _restrain_numpy()
            command()
            code = 0
        except BaseException as error:
            code = _ended(error, came)
            # If an interrupt leaves code that was compiled from a string, as dataclasses are, the interpreter would
            # end by a signal instead of exiting with this code. Evaluating another string resets that.
            eval("None")
        code = _flushed(code)
    if not in_a_program:
        # The interpreter would look for garbage among all objects before it exits, which takes a tenth of a second.
        gc.freeze()
    sys.exit(code)


#: What a user who stops a command should know if the command has no advice of its own.
START_OVER = "unfinished output files were discarded; run the same command again to start over."


def _ended(error: BaseException, came: list[signal.Signals]) -> int:
    """Print the message of an exception, and return the exit code."""
    if os.environ.get("GRAPHMT_DEBUG") and not isinstance(error, SystemExit):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, SystemExit) and not error.code:
        return 0
    # An interrupt may surface as another exception, for instance a failed import.
    if came or behind(error, KeyboardInterrupt):
        number = came[0] if came else signal.SIGINT
        word = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
        stopped = behind(error, KeyboardInterrupt) or error
        say(f"{word}; {getattr(stopped, 'advice', None) or START_OVER}")
        return 128 + number
    # The reader of the output has gone (``| head``): not a failure.
    if behind(error, BrokenPipeError):
        return 0
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    text, code = sentence(error)
    say(text)
    return code


@contextlib.contextmanager
def _signals(restore: bool) -> Iterator[list[signal.Signals]]:
    """Turn requests to stop into exceptions, so that open files are closed; yields the list of them.

    Ctrl-C raises ``KeyboardInterrupt`` each time. SIGTERM and SIGHUP raise ``SystemExit`` once: repeated ones would
    interrupt the cleanup. Signals that are ignored (``nohup``, a background job) stay ignored.
    """
    came: list[signal.Signals] = []
    main_thread = _thread.get_ident()
    is_over = False
    # Whether the exception of a signal still has to reach the command.
    is_due = True

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal is_due
        came.append(signal.Signals(number))
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        if is_due:
            is_due = False
            raise SystemExit(128 + number)

    def send_again() -> None:
        """Send the signal to the main thread, which may be blocked, once the hook that asks for this has returned."""
        time.sleep(0.01)
        if is_over:
            return
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(main_thread, came[0])
        else:
            _thread.interrupt_main(came[0])

    def unraisable(event: sys.UnraisableHookArgs) -> None:
        """A signal during a finaliser or a callback of C code is dropped with its exception: deliver it again."""
        nonlocal is_due
        if came and issubclass(event.exc_type, KeyboardInterrupt | SystemExit):
            is_due = True
            _thread.start_new_thread(send_again, ())
        else:
            hook(event)

    usual = (signal.SIG_DFL, signal.default_int_handler)
    before = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in usual:
            # Only the main thread may set handlers.
            with contextlib.suppress(ValueError):
                before[number] = signal.signal(number, handle)
    hook, sys.unraisablehook = sys.unraisablehook, unraisable
    try:
        yield came
    finally:
        sys.unraisablehook = hook
        is_over = True
        # A signal while the interpreter exits must not change the exit code.
        for number, handler in before.items():
            signal.signal(number, handler if restore else signal.SIG_IGN)


def _open_streams() -> None:
    """Make sure that all three standard streams exist, and that text goes through them as UTF-8.

    A free descriptor would be taken by the next file that is opened, and messages would be written into it. Closed
    input and output are replaced by streams that fail when used; messages to a closed stderr are dropped.
    """
    for number, name, mode, flags in (
        (0, "stdin", "r", os.O_WRONLY),
        (1, "stdout", "w", os.O_RDONLY),
        (2, "stderr", "w", os.O_RDWR),
    ):
        try:
            os.fstat(number)
        except OSError:
            _put(os.open(os.devnull, flags), number)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors)


def _put(opened: int, number: int) -> None:
    """Give an open file a certain descriptor."""
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def _restrain_numpy() -> None:
    """Keep the threads of NumPy's libraries from using what nobody gave them, unless the environment says otherwise.

    OpenBLAS starts its threads when NumPy is imported, and they wait for work in a loop, a tenth of a second each time;
    this lets them sleep. If memory is limited (``ulimit -v``), their stacks use most of it, so that there is only one.
    """
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    with contextlib.suppress(ImportError):
        import resource

        if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
                os.environ.setdefault(name, "1")


def _flushed(code: int) -> int:
    """Flush the streams, so that the interpreter cannot fail on them when it exits."""
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            stream.flush()
        except BrokenPipeError:
            _put(os.open(os.devnull, os.O_WRONLY), number)
        except OSError as error:
            _put(os.open(os.devnull, os.O_WRONLY), number)
            if number == 1:
                error.filename = error.filename or "standard output"
                text, failed = sentence(error)
                say(text)
                code = code or failed
        except (AttributeError, ValueError):
            # Replaced or closed by the calling program.
            pass
    return code
