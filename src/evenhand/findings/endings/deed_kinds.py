"""What a command or a tool does, as far as it has consequences: tests, builds, deployments, messages, orders. Pure.

A command is known by its program, or by the words in the name of the script or of the task that a runner is told to
do; a tool by the words of its name. What only looks at something has no kind.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.findings.facts.shell import Command, commands
from evenhand.lazy_pattern import late_pattern

_PROGRAMS: Final = {
    "tests": "pytest|py.test|jest|vitest|mocha|ava|rspec|phpunit|pest|ctest|unittest|karma|nosetests|behave"
    "|cucumber|bats"
    "|cargo test|cargo nextest|go test|gotestsum|npm t|npm test|mix test|dotnet test|swift test|deno test|bun test"
    "|rails test|rails spec|bazel test|mvn test|mvn verify|mvn integration-test|gradle test|gradle check"
    "|gradle connectedAndroidTest|playwright test|cypress run|manage.py test|artisan test|sbt test|lein test"
    "|zig build test|stack test|cabal test|flutter test|dart test|xcodebuild test|terraform test|molecule test"
    "|tox|nox|coverage run|hatch test",
    "types": "mypy|pyright|basedpyright|pyre|pytype|ty check|tsc --noEmit|vue-tsc|flow check|phpstan|psalm"
    "|sorbet|srb tc",
    "lint": "ruff|flake8|pylint|eslint|biome|black|prettier|standard|golangci-lint|rubocop|shellcheck|stylelint"
    "|hadolint"
    "|pre-commit|go vet|cargo clippy|cargo fmt|gofmt|ktlint|detekt|swiftlint|checkstyle|credo|yamllint|ansible-lint"
    "|terraform validate|terraform fmt|tflint|markdownlint|markdownlint-cli2|isort|clang-tidy|deno lint|oxlint",
    "build": "tsc|ninja|webpack|rollup|esbuild|vite build|next build|nuxt build|astro build|ng build|xcodebuild|cargo "
    "build"
    "|cargo check|go build|dotnet build|dotnet publish|swift build|docker build|docker buildx build|docker "
    "compose build"
    "|podman build|bazel build|mvn package|mvn compile|mvn install|gradle build|gradle assemble|mix compile"
    "|poetry build|uv build|hatch build|mkdocs build|sphinx-build|hugo|jekyll build|zig build|stack build|cabal build"
    "|flutter build|nix build|cmake --build|meson compile|sbt compile|sbt package|javac|gcc|g++|clang|rustc|pdflatex"
    "|latexmk|helm package|make",
    "migration": "alembic upgrade|alembic downgrade|manage.py migrate|flask db upgrade|rails db:migrate|rake db:migrate"
    "|prisma migrate|prisma db push|sequelize db:migrate|sequelize-cli db:migrate|knex migrate:latest|typeorm "
    "migration:run"
    "|drizzle-kit migrate|drizzle-kit push|artisan migrate|mix ecto.migrate|flyway migrate|liquibase update|goose up"
    "|dbmate up|diesel migration run|sqlx migrate run|migrate up|supabase db push|dotnet ef database update|ef "
    "database update",
    "deploy": "terraform apply|tofu apply|pulumi up|kubectl apply|kubectl rollout|kubectl set|helm upgrade|helm install"
    "|fly deploy"
    "|flyctl deploy|vercel|vercel deploy|netlify deploy|firebase deploy|serverless deploy|sls deploy|cdk deploy"
    "|sam deploy"
    "|gcloud app deploy|gcloud run deploy|gcloud functions deploy|eb deploy|az webapp up|heroku "
    "container:release|cap deploy"
    "|ansible-playbook|wrangler deploy|wrangler publish|railway up|render deploy|docker stack deploy|docker compose up"
    "|aws s3 sync|aws cloudformation deploy|aws ecs update-service|aws lambda update-function-code|kamal deploy"
    "|argocd app sync"
    "|systemctl restart|systemctl reload|systemctl start|rsync|nomad job run|dokku deploy|modal deploy|skaffold run",
    "publish": "npm publish|twine upload|cargo publish|poetry publish|uv publish|hatch publish|gem push|docker push"
    "|podman "
    "push"
    "|helm push|gh release create|glab release create|dotnet nuget push|mvn deploy|lerna publish|changeset "
    "publish|vsce publish",
    "install": "pip install|pip3 install|pipx install|uv pip install|uv add|uv sync|uv tool install|poetry install"
    "|poetry "
    "add"
    "|npm install|npm i|npm ci|npm add|apt install|apt-get install|apk add|yum install|dnf install|brew install"
    "|pacman -S|cargo install|cargo add|go install|go get|gem install|bundle install|bundle|composer install"
    "|composer require|conda install|mamba install|conda env create|pnpm install|playwright install|helm repo add"
    "|dotnet add|dotnet restore|mix deps.get|snap install|rustup|nix-env -i|code --install-extension|pdm install"
    "|pdm add",
    "pull request": "gh pr create|gh pr edit|gh pr ready|glab mr create|hub pull-request|az repos pr create|tea "
    "pr create",
    "merge": "git merge|gh pr merge|glab mr merge|git rebase|git pull|git cherry-pick",
    "push": "git push|jj git push|hg push|svn commit",
    "commit": "git commit|jj commit|hg commit|sl commit",
    "backup": "pg_dump|mysqldump|mongodump|restic backup|borg create|pg_restore|mongorestore",
}
"""The first words of the commands of each kind; an entry that is one word is a program."""

_PATTERNS: Final = {
    kind: re.compile(rf"(?:{'|'.join(map(re.escape, sorted(words.split('|'), key=len, reverse=True)))})(?=\s|$)")
    for kind, words in _PROGRAMS.items()
}
_ORDER: Final = tuple(_PROGRAMS)

_TASKS: Final = (
    ("migration", r"migrat\w*|db:?(?:upgrade|push)|schema"),
    ("deploy", r"deploy\w*|rollout|release|ship|promote|provision|restart"),
    ("publish", r"publish|upload"),
    ("types", r"type-?s?|typecheck|type-?check\w*|tsc|mypy"),
    ("lint", r"lint\w*|fmt|format|style|quality|pre-?commit"),
    (
        "tests",
        r"tests?|testing|spec|specs|check|checks|e2e|ci|verify|unit|integration|smoke|regression|coverage|pytest"
        r"|py\d+",
    ),
    ("build", r"build|compile|bundle|package|assemble|dist|all|docs|image"),
    ("install", r"install|setup|bootstrap|deps|dependencies"),
    ("backup", r"backup|restore|snapshot|dump"),
    ("data", r"import|export|seed|sync|ingest|load|backfill|etl|reindex|report|generate"),
)
"""Words in the names of scripts and tasks. The first kind that a word of the name has counts."""
_TASK_PATTERNS: Final = tuple((kind, re.compile(rf"(?:{words})\Z", re.I)) for kind, words in _TASKS)

_RUNNERS: Final = frozenset(
    "make gmake just mise task rake invoke inv npm yarn pnpm bun deno poe hatch pdm tox nox composer mage doit "
    "grunt gulp nx turbo"
    " moon pixi rye bazelisk earthly ant".split()
)
"""Programs that are told a task by its name."""
_RUNNER_WORDS: Final = frozenset("run run-script exec -s --silent -e --session -w --workspace tasks".split())
_PREFIXES: Final = {
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "hatch": ("run",),
    "pipenv": ("run",),
    "rye": ("run",),
    "npx": (),
    "bunx": (),
    "pnpx": (),
    "bundle": ("exec",),
    "docker": ("exec", "run"),
    "timeout": (),
    "xvfb-run": (),
    "direnv": ("exec",),
    "mise": ("exec", "x"),
    "asdf": ("exec",),
    "yarn": ("exec", "dlx"),
    "pnpm": ("exec", "dlx"),
    "npm": ("exec",),
    "python": ("-m",),
    "python3": ("-m",),
    "py": ("-m",),
    "coverage": ("run",),
    "dotenv": ("run", "--"),
    "doppler": ("run", "--"),
    "ssh": (),
    "wsl": (),
    "stdbuf": (),
    "php": (),
    "ruby": (),
    "node": (),
    "perl": (),
    "sh": (),
    "bash": (),
    "zsh": (),
    "conda": ("run",),
    "nix": ("develop",),
    "dotnet": ("tool",),
    "sudo": (),
    "strace": (),
    "chronic": (),
    "retry": (),
}
"""Programs that run another one, with the word that says so."""
_ALIKE: Final = {
    "yarn": "npm",
    "pnpm": "npm",
    "bun": "npm",
    "mvnw": "mvn",
    "gradlew": "gradle",
    "pip3": "pip",
    "podman": "docker",
}
_SCRIPT: Final = re.compile(r"\.(?:sh|bash|py|js|mjs|ts|rb|pl|ps1|php)$")
_INTERPRETERS: Final = frozenset(
    "python python3 py sh bash zsh node ruby perl php deno bun tsx ts-node pwsh powershell".split()
)
_ONLY_SHOWS: Final = frozenset(
    "--version --help -h -V --collect-only --co --list --list-tests --dry-run -n --dryrun --check-only --what-if plan"
    " help version".split()
)
_DRY: Final = frozenset("make npm git".split())
"""Programs for which `-n` is a dry run or nothing of the kind; for others it may be a number of workers."""

_HINT: Final = re.compile(
    "|".join(
        [
            *map(re.escape, {entry.split()[0] for words in _PROGRAMS.values() for entry in words.split("|")}),
            *map(re.escape, (*_ALIKE, *_RUNNERS)),
            *(words for _, words in _TASKS),
        ]
    ),
    re.I,
)
"""In every command that has a kind; most commands have none, which is seen many times as fast."""


class Done(NamedTuple):
    """What one command does."""

    kind: str
    command: Command
    target: str
    """Its words without options, from which the same thing is known again."""
    narrow: bool
    """Whether it is told to look at a part only: a file, a name."""


@lru_cache(maxsize=4096)
def kinds_of(text: str) -> tuple[Done, ...]:
    """What a shell text does that has consequences, in order."""
    if not _HINT.search(text):
        return ()
    return tuple(_done(text))


def _done(text: str) -> Iterator[Done]:
    for command in commands(text):
        words = _plain(command.words)
        if not words:
            continue
        kind = _kind(words)
        if kind is not None and not _only_shows(command.words, kind):
            plain = [word for word in words if not word.startswith("-")]
            yield Done(kind, command, " ".join(plain)[:200], _is_narrow(kind, words))


def _only_shows(words: tuple[str, ...], kind: str) -> bool:
    said = _ONLY_SHOWS & set(words)
    return bool(said - {"-n", "-h", "-V"}) or bool(said & {"-n"} and words[0] in _DRY and kind != "tests")


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the command that is really run, without what runs it."""
    left = list(words)
    for _ in range(4):
        if not left:
            return ()
        left[0] = posixpath.basename(left[0]) if not left[0].startswith("-") else left[0]
        name, rest = left[0], left[1:]
        if name not in _PREFIXES or name in ("node", "php", "ruby", "perl", "sh", "bash", "zsh", "ssh"):
            break
        leads = _PREFIXES[name]
        if leads:
            if not rest or rest[0] not in leads:
                break
            left = rest[1:]
        else:
            left = rest
        while left and (left[0].startswith("-") or re.fullmatch(r"\d+[smh]?|[\w.-]+=.*", left[0])):
            left.pop(0)
        if name == "docker" and left:
            left.pop(0)  # the container
    if left:
        left[0] = _ALIKE.get(left[0], left[0])
    return tuple(left)


def _kind(words: tuple[str, ...]) -> str | None:
    joined = " ".join(words[:8])
    plain = " ".join([word for word in words if not word.startswith(("-", "+"))][:6])
    name = words[0]
    if name in ("git", "hg", "jj") and "-C" in words:
        place = words.index("-C")
        plain = " ".join([name, *[word for word in words[place + 2 :] if not word.startswith("-")]])
    if name not in ("make", "bundle", "task", "tox", "nox"):
        for kind in _ORDER:
            if _PATTERNS[kind].match(plain) or _PATTERNS[kind].match(joined):
                return None if _looks(name, words) else kind
    if name in _RUNNERS:
        tasks = [
            word for word in words[1:] if word not in _RUNNER_WORDS and not word.startswith("-") and "=" not in word
        ]
        kinds = filter(None, map(_kind_of_name, tasks[:3]))
        found = next(kinds, None)
        if found is None and name in ("tox", "nox"):
            return "tests"
        return "build" if found is None and name == "make" and not tasks else found
    if name == "bundle" and len(words) == 1:
        return "install"
    script = name
    if name in _INTERPRETERS:
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        if not _SCRIPT.search(script) and "manage.py" not in script and "/" not in script:
            return None
        if script.endswith("manage.py"):
            task = words[words.index(script) + 1] if words.index(script) + 1 < len(words) else ""
            return _kind_of_name(task)
    elif not _SCRIPT.search(name) and name not in ("test",):
        return None
    return _kind_of_name(_SCRIPT.sub("", posixpath.basename(script)))


def _looks(name: str, words: tuple[str, ...]) -> bool:
    """Whether a command of a known program only looks: `kubectl rollout history`, `docker ps`."""
    if words[1:3] == ("rollout", "status"):
        return False  # it waits for the end of the rollout
    return bool(
        {"status", "history", "list", "ls", "show", "diff", "logs", "get", "describe"} & set(words[1:4])
    ) and name in (
        "kubectl",
        "helm",
        "vercel",
        "fly",
        "flyctl",
        "alembic",
        "systemctl",
        "git",
        "docker",
        "argocd",
        "prisma",
        "bundle",
        "hugo",
    )


@lru_cache(maxsize=1024)
def _kind_of_name(name: str) -> str | None:
    """What a script or a task is for, by the words of its name: `test:unit`, `run_migrations`, `deploy-prod`."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", name) if word]
    for kind, pattern in _TASK_PATTERNS:
        if any(pattern.match(word) for word in words):
            return kind
    return None


def _is_narrow(kind: str, words: tuple[str, ...]) -> bool:
    """Whether a run of tests, types or lint is told to look at a part."""
    if kind not in ("tests", "types", "lint", "build"):
        return False
    if {"-k", "-t", "--grep", "--filter", "-run", "--run", "--testNamePattern", "-m", "--lf", "--last-failed"} & set(
        words[1:]
    ):
        return True
    return any(re.search(r"[\w*]\.[a-z]{1,5}(?:$|::)|::|/\w", word) for word in words[1:] if not word.startswith("-"))


# --- tools ---------------------------------------------------------------------------------------

VERBS: Final = {
    "send": "send|sends|email|mail|message|notify|reply|forward|post|tweet|invite|broadcast|text|sms|share|announce|dm",
    "pay": "pay|payment|transfer|refund|charge|remit|payout|withdraw|deposit|disburse|reimburse",
    "book": "book|booking|rebook|reserve|reservation|schedule|reschedule|order|purchase|buy|checkout|place|enroll"
    "|register|subscribe",
    "cancel": "cancel|void|revoke|unsubscribe|withdraw|terminate|close|decline",
    "delete": "delete|remove|destroy|drop|purge|erase|unlink|archive|clear|wipe|trash|rm",
    "create": "create|add|insert|make|new|open|issue|provision|generate|append|submit|file|log|assign|grant|attach",
    "update": "update|modify|change|edit|set|rename|move|replace|patch|put|upgrade|downgrade|reset|exchange"
    "|return|adjust"
    "|apply"
    "|enable|disable|activate|deactivate|approve|reject|mark|rotate|restore|rollback|lock|unlock|block|unblock"
    "|suspend|turn"
    "|toggle|configure|sync|import|resolve|complete|merge|swap|increase|decrease|extend|renew|transition",
    "save": "save|write|store|upload|export|backup|publish|persist|record|upsert",
}
"""The words in a tool's name by which it changes something, by kind."""
VERB_OF: Final = {word: kind for kind, words in reversed(VERBS.items()) for word in words.split("|")}
"""The kind of each such word."""
THINGS: Final = {
    word: kind
    for kind, words in {
        "pay": "money payment payments transaction transactions funds bill invoice refund amount iban",
        "send": "email emails mail message messages sms notification notifications invitation recipients webpage",
        "book": "reservation reservations booking bookings hotel flight flights appointment table ticket calendar "
        "event",
        "file": "file document doc docs page note notes",
    }.items()
    for word in words.split()
}
"""What a tool's verb is done to, by the kind whose words an answer may use of it: `send_money` pays."""
_TOOL_KINDS: Final = {
    "tests": ("test", "tests", "pytest", "jest", "suite"),
    "lint": ("lint", "linter"),
    "types": ("typecheck",),
    "build": ("build", "compile"),
    "migration": ("migration", "migrations", "migrate"),
    "deploy": ("deploy", "deployment", "rollout", "release"),
    "install": ("install",),
    "push": ("push",),
    "pull request": ("pr",),
    "commit": ("commit",),
    "publish": ("publish",),
    "merge": ("merge",),
    "backup": ("backup",),
}
_LOOKING: Final = frozenset(
    "get list read search find lookup look query fetch show view check describe retrieve browse is has count "
    "validate calculate"
    " compute think plan todo todowrite todoread preview verify estimate inspect explain summarize analyze wait "
    "poll status"
    " select download open_url navigate screenshot history logs glob grep ls cat".split()
)
_ACTING_FIRST: Final = frozenset("run execute start trigger do perform call invoke re rerun exec".split())
_NOT_OURS: Final = frozenset(
    "todo todowrite todoread think task agent skill bash shell terminal python code_interpreter finish "
    "submit_answer final_answer"
    " answer done exit respond reply_to_user message_user ask_user complete_task".split()
)


@lru_cache(maxsize=512)
def words_of_tool(name: str) -> tuple[str, ...]:
    """The words of a tool's own name, in lower case: of `mcp__mail__sendMessage`, send and message."""
    own = name.rsplit("__", 1)[-1].rsplit(".", 1)[-1].rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    return tuple(word.lower() for word in re.split(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])", own) if word)


def differ(name: str, other: str) -> bool:
    """Whether two tools are for different things: `update_flights` and `update_baggages`."""
    mine, others = (frozenset(words_of_tool(one)) - VERB_OF.keys() for one in (name, other))
    return bool(mine - others) and bool(others - mine)


@lru_cache(maxsize=512)
def kind_of_tool(name: str) -> str | None:
    """What a tool does by its name; None where it only looks, or where the name does not say."""
    words = words_of_tool(name)
    if not words or "_".join(words) in _NOT_OURS or "".join(words) in _NOT_OURS:
        return None
    acting = words[0] in _ACTING_FIRST
    if words[0] in _LOOKING or (len(words) > 1 and words[0] == "make" and words[1] in _LOOKING):
        return None
    for kind, names in _TOOL_KINDS.items():
        if any(word in names for word in words) and (acting or words[0] in names or words[0] in VERB_OF):
            return kind
    if words[:2] == ("pull", "request") or (
        words[1:3] == ("pull", "request") and words[0] in ("create", "open", "submit", "update")
    ):
        return "pull request"
    if words[1:3] == ("merge", "request") or words[1:3] == ("pull", "request"):
        return "merge" if words[0] == "merge" else "pull request"
    if words[0] in VERB_OF:
        return VERB_OF[words[0]]
    if acting or len(words) == 1:
        return None
    if any(word in _LOOKING for word in words):
        return None
    return next((VERB_OF[word] for word in words if word in VERB_OF), None)


ON_CODE: Final = frozenset(_PROGRAMS) | {"data"}
_FILE_TOOL: Final = late_pattern(
    r"^(?:edit|write|multiedit|multi_edit|notebookedit|str_replace\w*|apply_patch|applypatch|create_file"
    r"|write_file|write_to_file"
    r"|replace_in_file|edit_file|insert|insert_edit\w*|apply_diff|search_replace|patch|replace|update_file"
    r"|delete_file|text_editor"
    r"|str_replace_based_edit_tool|file_editor|writefile|editfile|remove_file|move_file|rename_file)$",
    re.I,
)


@lru_cache(maxsize=512)
def is_file_tool(name: str) -> bool:
    """Whether a tool writes, edits or deletes files, by its name."""
    return _FILE_TOOL.match("_".join(words_of_tool(name))) is not None
