"""``cadenza init``: asks four questions and writes the files of a bot that is ready to run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from getpass import getpass
from pathlib import Path
from shlex import quote

from ..bot.config.config import DiscordConfig, ModelConfig
from ..bot.config.dotenv import NAME as DOTENV, line_for, parsed
from ..bot.config.model_names import key_variables, model_complaint, needs_key
from ..bot.config.secrecy import application_id, token_complaint
from ..bot.config.template import TALKS, Answers, template
from ..bot.services.invitation import PORTAL, invite_link
from ..errors import InputError, Sentence

CONFIG = "cadenza.toml"
_IGNORED = (DOTENV, "cadenza.key", "cadenza.db*")
_TOKEN = DiscordConfig().token_env
_INTERRUPTED = 130
_MOST_TOKEN = 10_000
_LONGEST_NAME = 80
_USUAL_MODEL = "local"
_MODELS = """\
Which model?
  local                 a small model on this machine: no key, no cost (pip install 'cadenza[local]')
  openai:gpt-5.1        needs a key in OPENAI_API_KEY
  anthropic:NAME, google:NAME, openrouter:NAME, ollama:NAME …   see docs/providers.md
"""
_TALKS = """\
How should it talk?
  assistant             in paragraphs and whole lists
  chat                  like a person in a chat, for characters: a message a line, with pauses for typing
"""
_TOKENS = f"""\
The bot's token: {PORTAL}, New Application, Bot, Reset Token, Copy.
It is not shown as you type, and is written to {DOTENV}. Press Enter to skip it for now.
"""


@dataclass(frozen=True, slots=True)
class Prompter:
    """The person at the terminal of ``cadenza init``."""

    ask: Callable[[str], str] = input
    ask_hidden: Callable[[str], str] = getpass
    tell: Callable[[str], None] = print
    is_there: bool = False
    """Whether there is a terminal to answer at."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write."""

    answers: Answers
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The variables of ``.env``; an empty one is to be filled in by hand."""


def add_init(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``init`` to the command line."""
    init = commands.add_parser(
        "init",
        help="create a bot: ask four questions and write its files",
        description=f"Create a bot: write {CONFIG}, with a comment for every key; {DOTENV}, which only you can read; and "
        "lines in .gitignore that keep secrets out of git. Options that are missing are asked for.",
        epilog="See docs/bot/getting-started.md for a guide, step by step.",
    )
    init.add_argument(
        "--folder",
        default=".",
        metavar="FOLDER",
        help="the folder to write to (default: this one); created if it does not exist",
    )
    init.add_argument("--name", metavar="NAME", help="the name of the character")
    init.add_argument("--model", metavar="MODEL", help="the model: local, or VENDOR:NAME such as openai:gpt-5.1")
    init.add_argument(
        "--talk",
        choices=TALKS,
        help="how the bot talks: as an assistant in paragraphs and lists (default), or in lines with typing, like a "
        "person in a chat",
    )
    init.add_argument("--token-stdin", action="store_true", help="read the bot's token from standard input")
    init.add_argument("--force", action="store_true", help="overwrite existing files")
    init.add_argument("--yes", action="store_true", help="ask nothing; use the defaults")


def run_init(options: argparse.Namespace, person: Prompter | None = None) -> int:
    """Create a bot as *options* say; return the exit status."""
    person = person or Prompter(is_there=_has_terminal())
    folder = Path(options.folder)
    try:
        _refuse_existing(folder, force=options.force)
        plan = _plan(options, person)
        _write(folder, plan, force=options.force)
    except (KeyboardInterrupt, EOFError):
        if sys.stderr is not None:
            sys.stderr.write("\ncadenza: interrupted; nothing was written\n")
        return _INTERRUPTED
    for line in _next_steps(folder, plan):
        person.tell(line)
    return 0


# --- questions -------------------------------------------------------------------------


def _plan(options: argparse.Namespace, person: Prompter) -> Plan:
    is_asking = not options.yes
    token = _token_from_input() if options.token_stdin else None
    wants = is_asking and (options.name is None or options.model is None)
    if wants and not person.is_there:
        msg = "there is no terminal; give --name and --model, or --yes for the defaults"
        raise InputError(msg)
    is_asking = is_asking and person.is_there
    name = options.name if options.name is not None or not is_asking else _asked_name(person)
    model = options.model if options.model is not None or not is_asking else _asked_model(person)
    talk = options.talk if options.talk is not None or not is_asking else _asked_talk(person)
    answers = Answers(
        _checked_name(name or Answers().name), _checked_model(model or _USUAL_MODEL), talk or Answers().talk
    )
    secrets = _keys(answers.model, person, is_asking=is_asking)
    if token is None and is_asking:
        token = _asked_token(person)
    return Plan(answers, {_TOKEN: token or "", **secrets})


def _asked_name(person: Prompter) -> str:
    while True:
        name = person.ask(f"Name of the character [{Answers().name}]: ").strip() or Answers().name
        if not (complaint := _name_complaint(name)):
            return name
        person.tell(complaint)


def _asked_model(person: Prompter) -> str:
    person.tell(_MODELS)
    while True:
        model = person.ask(f"Model [{_USUAL_MODEL}]: ").strip() or _USUAL_MODEL
        if not (complaint := model_complaint(model)):
            return model
        person.tell(f"it {complaint}")


def _asked_talk(person: Prompter) -> str:
    person.tell(_TALKS)
    while True:
        answer = person.ask(f"Talk [{Answers().talk}]: ").strip().lower() or Answers().talk
        if found := [talk for talk in TALKS if talk.startswith(answer)]:
            return found[0]
        person.tell(f"it is one of {', '.join(TALKS)}")


def _keys(model: str, person: Prompter, *, is_asking: bool) -> dict[str, str]:
    """The variable for *model*'s key and its value, if it needs one that is not in the environment."""
    asked = ModelConfig(model)
    variables = key_variables(asked)
    if not needs_key(asked) or any(os.environ.get(name, "").strip() for name in variables):
        return {}
    if not is_asking:
        return {variables[0]: ""}
    return {variables[0]: _hidden(person, f"Its key, for {variables[0]} (not shown; press Enter to skip it): ")}


def _asked_token(person: Prompter) -> str:
    person.tell(_TOKENS)
    while True:
        token = _hidden(person, "Token: ")
        if not token or not (complaint := token_complaint(token)):
            return token
        person.tell(complaint)


def _hidden(person: Prompter, question: str) -> str:
    return person.ask_hidden(question).strip().strip("\"'")


def _token_from_input() -> str:
    if sys.stdin is None:
        msg = "there is no standard input to read the token from"
        raise InputError(msg)
    token = sys.stdin.read(_MOST_TOKEN).strip().strip("\"'")
    if complaint := token_complaint(token):
        raise InputError(complaint)
    return token


def _checked_name(name: str) -> str:
    if complaint := _name_complaint(name.strip()):
        raise InputError(complaint)
    return name.strip()


def _name_complaint(name: str) -> str:
    if name and len(name) <= _LONGEST_NAME and name.isprintable():
        return ""
    return f"a name has 1 to {_LONGEST_NAME} characters on one line"


def _checked_model(model: str) -> str:
    if complaint := model_complaint(model.strip()):
        msg = Sentence("--model {complaint}", complaint=complaint)
        raise InputError(msg)
    return model.strip()


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


# --- files -----------------------------------------------------------------------------


def _refuse_existing(folder: Path, *, force: bool) -> None:
    """Fail on existing files before the first question."""
    for name in (CONFIG, DOTENV):
        if not force and os.path.lexists(folder / name):
            msg = Sentence(
                "{folder} exists already; --force overwrites it, --folder names another place",
                folder=repr(str(folder / name)),
            )
            raise InputError(msg)


def _write(folder: Path, plan: Plan, *, force: bool) -> None:
    """Write all files or none; ``.gitignore`` first, so that git never sees ``.env``."""
    made: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _ignore(folder / ".gitignore", made)
        _place(folder / DOTENV, _dotenv(folder / DOTENV, plan.secrets), made, mode=0o600, force=force)
        _place(folder / CONFIG, template(plan.answers), made, mode=0o644, force=force)
    except BaseException as error:
        for path in made:
            with suppress(OSError):
                path.unlink()
        if not isinstance(error, OSError | ValueError):
            raise
        if isinstance(error, FileExistsError) and not force:
            msg = Sentence(
                "{filename} exists already and was not overwritten", filename=repr(str(error.filename or folder))
            )
        else:
            why = getattr(error, "strerror", None) or "not a valid name"
            msg = Sentence(
                "cannot write into {folder} ({why}); choose another place with --folder",
                folder=repr(str(folder)),
                why=why,
            )
        raise InputError(msg) from None


def _place(path: Path, text: str, made: list[Path], *, mode: int, force: bool) -> None:
    """Write *text* to a new file; with *force*, replace an existing one."""
    target = path.with_name(f"{path.name}.new") if force else path
    if force:
        target.unlink(missing_ok=True)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    made.append(target)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    if force:
        target.replace(path)
        made.remove(target)


def _dotenv(path: Path, secrets: Mapping[str, str]) -> str:
    """The lines of ``.env``: existing ones stay, except for variables with a new value."""
    with suppress(OSError, UnicodeDecodeError):
        kept = path.read_text(encoding="utf-8").splitlines()
        before, _ = parsed("\n".join(kept))
        new = {name: value for name, value in secrets.items() if value or name not in before}
        kept = [line for line in kept if not parsed(line)[0].keys() & new.keys()]
        return "\n".join([*kept, *(line_for(name, value) for name, value in new.items()), ""])
    head = ["# The bot's secrets. Do not share this file, and keep it out of git."]
    return "\n".join([*head, *(line_for(name, value) for name, value in secrets.items()), ""])


def _ignore(path: Path, made: list[Path]) -> None:
    """Add the secrets and the store to ``.gitignore``."""
    try:
        before = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        before = ""
        made.append(path)
    missing = [line for line in _IGNORED if line not in before.splitlines()]
    if missing:
        gap = "\n" if before and not before.endswith("\n") else ""
        path.write_text(f"{before}{gap}" + "".join(f"{line}\n" for line in missing), encoding="utf-8")


# --- next steps --------------------------------------------------------------------------


def _next_steps(folder: Path, plan: Plan) -> Sequence[str]:
    where = "" if folder == Path() else f" --config {quote(str(folder / CONFIG))}"
    missing = [name for name, value in plan.secrets.items() if not value]
    application = application_id(plan.secrets.get(_TOKEN, ""))
    link = invite_link(application or "APPLICATION_ID")
    replaced = "" if application else " (replace APPLICATION_ID with the id of your application)"
    lines = [f"Wrote {folder / CONFIG}, {folder / DOTENV} and {folder / '.gitignore'}."]
    if missing:
        lines.append(f"Fill in {' and '.join(missing)} in {folder / DOTENV}.")
    return [
        *lines,
        f"Invite the bot to your server: {link}{replaced}",
        f"Then check the setup and start the bot: cadenza doctor{where} && cadenza run{where}",
        f"Or try it without Discord: cadenza run --sim{where}",
    ]
