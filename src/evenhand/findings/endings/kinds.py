"""Every kind of thing that an answer may call done, each declared once. Pure.

A kind says by which commands, names of scripts and tools it is known, which lines of a result tell that it failed or
went well, and by which words an answer names it. The words are stems in a few languages; they need not be many, since
the events say what it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind:
    """One kind of thing. All but `id` and `noun` are alternatives of a regular expression, or words beside `|`."""

    id: str
    named: str
    """What names it in an answer."""
    noun: str = ""
    """What a message calls it."""
    programs: str = ""
    """The first words of its commands; an entry that is one word is a program."""
    tasks: str = ""
    """Words in the names of scripts and tasks."""
    tools: str = ""
    """Words in a tool's name, where a verb stands beside them."""
    verbs: str = ""
    """Words in a tool's name by which it changes something."""
    things: str = ""
    """What a tool's verb is done to: `send_money` pays."""
    failed: str = ""
    """Lines of a result that tell of a failure; SOME is a number above 0."""
    passed: str = ""
    """Lines of a result that tell of success."""
    shown: str = ""
    """What shows in a later result that it is done after all."""
    already: str = ""
    """Stems by which a refusal says that it was so before."""

    @cached_property
    def names(self) -> re.Pattern[str]:
        """What names it in an answer."""
        return re.compile(self.named, re.I)

    @cached_property
    def failed_lines(self) -> re.Pattern[str]:
        """What tells of a failure, of this kind or of any."""
        return re.compile(f"(?m){self.failed.replace('SOME', _SOME)}|{_ANY_FAILED}")

    @cached_property
    def passed_lines(self) -> re.Pattern[str]:
        """What tells of success."""
        return re.compile(f"(?m){self.passed.replace('SOME', _SOME)}")

    @cached_property
    def shows(self) -> re.Pattern[str]:
        """What shows in a later result that it is done after all."""
        return re.compile(self.shown)

    @cached_property
    def commands(self) -> re.Pattern[str]:
        """The start of each of its commands, the longest first."""
        entries = sorted(self.programs.split("|"), key=len, reverse=True)
        return re.compile(rf"(?:{'|'.join(map(re.escape, entries))})(?=\s|$)")

    @cached_property
    def task_words(self) -> re.Pattern[str]:
        """A word in the name of a script or a task."""
        return re.compile(rf"(?:{self.tasks})\Z", re.I)


_SOME: Final = r"[1-9]\d{0,6}"
_ANY_FAILED: Final = (
    r"^Traceback \(most recent call last\).*|^(?:error|fatal|ERROR|FATAL|Error)(?:\[\w+\])?: .*|^.*\bcommand "
    r"not found\b.*|^.*\bNo space left on device\b.*|^.*\bConnection refused\b.*|^make(?:\[\d+\])?: \*\*\*.*"
    r"|^npm ERR!.*|^npm error .*|^.*ELIFECYCLE.*|^error Command failed.*|^.*\bSegmentation fault\b.*"
)

_ALL: Final = (
    Kind(
        id="tests",
        noun="the tests",
        programs="pytest|py.test|jest|vitest|mocha|ava|rspec|phpunit|pest|ctest|unittest|karma|nosetests|behave"
        "|cucumber|bats|cargo test|cargo nextest|go test|gotestsum|npm t|npm test|mix test|dotnet test"
        "|swift test|deno test|bun test|rails test|rails spec|bazel test|mvn test|mvn verify"
        "|mvn integration-test|gradle test|gradle check|gradle connectedAndroidTest|playwright test"
        "|cypress run|manage.py test|artisan test|sbt test|lein test|zig build test|stack test|cabal test"
        "|flutter test|dart test|xcodebuild test|terraform test|molecule test|tox|nox|coverage run"
        "|hatch test",
        tasks="tests?|testing|spec|specs|check|checks|e2e|ci|verify|unit|integration|smoke|regression|coverage"
        r"|pytest|py\d+",
        tools="test|tests|pytest|jest|suite",
        failed=r"^=+ [^\n]{0,99}\bSOME (?:failed|errors?)\b.*|^SOME failed\b.*|^no tests ran.*"
        r"|\bTests:? +(?:SOME \w+, )*SOME failed.*|^\s*SOME failing\b.*|^FAILED \(.*|test result: FAILED.*"
        r"|^(?:--- )?FAIL(?:ED)?\b.*|^.*, SOME failures?\b.*|^FAILURES!.*|^.*(?:Failures|Errors"
        r"|Failed): +SOME\b.*|^# fail SOME.*|^not ok .*|^\s*SOME (?:tests? )?failed\b.*"
        r"|^.*\bSOME tests? failed\b.*|^.*\bpassed, SOME (?:failed|errors?)\b.*|^.*[:,] ?SOME failed\b.*"
        r"|^\s*[✗✘\u00d7❌] .*|^.*\bdo not match the golden\b.*|^.*\bcoverage\b[^\n]*\bbelow\b.*"
        r"|^.*required test coverage of [^\n]* not reached.*",
        passed=r"\bSOME (?:tests? |specs? |assertions? )?(?:passed|passing)\b.*|^OK\b.*|test result: ok\. [1-9].*"
        r"|^ok[ \t]+\S.*|^# pass [1-9].*|^Passed!.*|\bSOME (?:examples?|tests?|runs?)\b[^\n]*\b0 failures.*"
        r"|Failures: 0, Errors: 0.*|^PASS\b.*|^.*\ball tests (?:passed|successful)\b.*|^BUILD SUCCESS.*"
        r"|^.*\bTests?:? .*\bSOME passed.*",
        shown=r"(?m)\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|^OK\b|^ok[ \t]+\S|test result: ok|\b(?:all"
        r"|the) tests (?:now )?pass|<testsuites?\b[^>]*\bfailures=\"0\"|✓|conclusion\W+success"
        r"|completed\W+success",
        named=r"\b(?:tests?|testing|tested|checks?|specs?|suites?|pytest|\w*unit|jest|vitest|mocha|rspec|CI|pipelines?"
        r"|testsuite|testl\w+|getestet|testes|testé\w*|pruebas?|prove|testet)\b|测试|テスト",
    ),
    Kind(
        id="types",
        noun="the type check",
        programs="mypy|pyright|basedpyright|pyre|pytype|ty check|tsc --noEmit|vue-tsc|flow check|phpstan|psalm"
        "|sorbet|srb tc",
        tasks=r"type-?s?|typecheck|type-?check\w*|tsc|mypy",
        tools="typecheck",
        failed=r"^Found SOME errors?\b.*|^.*\bSOME errors?, .*|^.*error TS\d+.*|^[^\n]*:\d+: error: .*"
        r"|^\s*\[ERROR\].*|^.*\bfound SOME errors?\b.*",
        passed=r"^Success: no issues.*|^0 errors.*|^.*\bFound 0 errors.*|^All checks passed.*",
        shown=r"(?i)success: no issues|0 errors|conclusion\W+success",
        named=r"\b(?:types?|typing|type-?check\w*|typecheck\w*|mypy|pyright|tsc|typ(?:en)?prüfung|typage|tipos"
        r"|tipi)\b|类型|型チェック|型検査",
    ),
    Kind(
        id="lint",
        noun="the linter",
        programs="ruff|flake8|pylint|eslint|biome|black|prettier|standard|golangci-lint|rubocop|shellcheck|stylelint"
        "|hadolint|pre-commit|go vet|cargo clippy|cargo fmt|gofmt|ktlint|detekt|swiftlint|checkstyle|credo"
        "|yamllint|ansible-lint|terraform validate|terraform fmt|tflint|markdownlint|markdownlint-cli2"
        "|isort|clang-tidy|deno lint|oxlint",
        tasks=r"lint\w*|fmt|format|style|quality|pre-?commit",
        tools="lint|linter",
        failed=r"^Found SOME errors?\b.*|^.*[✖✗] SOME problems? \([1-9]\d* error.*"
        r"|^.*\bSOME problems? \([1-9]\d* errors?.*|^would reformat .*"
        r"|^.*\bSOME files? would be reformatted.*|^SOME errors?\b.*|^.*\bSOME (?:offenses?"
        r"|issues?) (?:detected|found)\b.*|^.*Code style issues found.*|^[\w./-]+:\d+:\d+:? (?:error"
        r"|[EFWC]\d{3,4})\b.*|^.*hook id: .*|^\[warn\] Code style.*|^error: .*|^.*\.{3,}Failed\s*$",
        passed=r"^All checks passed.*|^.*\b0 (?:errors|problems|offenses|issues)\b.*|^.*no (?:issues|offenses"
        "|problems) (?:found|detected).*|^.*All matched files use.*|^.*left unchanged.*"
        r"|^Found \d+ errors? \(\d+ fixed, 0 remaining\).*",
        shown=r"(?i)all checks passed|no issues|conclusion\W+success",
        named=r"\b(?:lint\w*|gelintet|ruff|eslint|flake8|pylint|clippy|formatting|pre-commit|style checks?)\b|代码检查"
        "|リント",
    ),
    Kind(
        id="build",
        noun="the build",
        programs="tsc|ninja|webpack|rollup|esbuild|vite build|next build|nuxt build|astro build|ng build|xcodebuild"
        "|cargo build|cargo check|go build|dotnet build|dotnet publish|swift build|docker build"
        "|docker buildx build|docker compose build|podman build|bazel build|mvn package|mvn compile"
        "|mvn install|gradle build|gradle assemble|mix compile|poetry build|uv build|hatch build"
        "|mkdocs build|sphinx-build|hugo|jekyll build|zig build|stack build|cabal build|flutter build"
        "|nix build|cmake --build|meson compile|sbt compile|sbt package|javac|gcc|g++|clang|rustc|pdflatex"
        "|latexmk|helm package|make",
        tasks="build|compile|bundle|package|assemble|dist|all|docs|image",
        tools="build|compile",
        failed=r"^.*\bBUILD FAIL\w*.*|^.*\berror TS\d+.*|^error\[E\d+\].*|^.*could not compile.*"
        r"|^Failed to compile.*|^.*\bBuild failed\b.*|^.*\b(?:fatal )?error: .*|^make(?:\[\d+\])?: \*\*\*.*"
        r"|^ERROR in .*|^npm ERR!.*|^ERROR: .*failed.*|^.*\bSOME errors?\b(?! corrected).*|^SyntaxError.*"
        "|^.*Error: .*|^ninja: build stopped.*|^.*undefined reference to.*|^.*cannot find (?:symbol|module"
        "|package).*|^.*failed to solve.*",
        passed=r"^BUILD SUCCESS.*|^.*\b(?:built|compiled|build)\b[^\n]*\b(?:in \d|success\w*|complete\w*)\b.*"
        "|^.*Finished .*|^.*Successfully (?:built|tagged).*|^.*Compiled successfully.*",
        shown=r"(?i)\bbuild (?:success\w*|passed)|compiled success|built in|conclusion\W+success"
        r"|completed\W+success",
        named=r"\b(?:build\w*|built|compil\w*|kompil\w*|gebaut|bauen|baut|bundle\w*|übersetzt)\b|构建|编译|ビルド|コンパイル",
    ),
    Kind(
        id="migration",
        noun="the migration",
        programs="alembic upgrade|alembic downgrade|manage.py migrate|flask db upgrade|rails db:migrate"
        "|rake db:migrate|prisma migrate|prisma db push|sequelize db:migrate|sequelize-cli db:migrate"
        "|knex migrate:latest|typeorm migration:run|drizzle-kit migrate|drizzle-kit push|artisan migrate"
        "|mix ecto.migrate|flyway migrate|liquibase update|goose up|dbmate up|diesel migration run"
        "|sqlx migrate run|migrate up|supabase db push|dotnet ef database update|ef database update",
        tasks=r"migrat\w*|db:?(?:upgrade|push)|schema",
        tools="migration|migrations|migrate",
        failed=r"^.*\b(?:Operational|Programming|Integrity|Migration|Database|Sql|Sqlite|Postgres"
        r"|Conflicting)\w*(?:Error|Exception)\b.*|^.*\bERROR\b:? .*|^.*\b(?:migration"
        r"|migrate)\b[^\n]*\b(?:failed|aborted|rolled back)\b.*|^.*\b(?:rolled back|rolling back"
        r"|duplicate column|already exists|deadlock|violates)\b.*|^Error: .*|^error: .*"
        r"|^.*Multiple head revisions.*|^FAILED:.*|^Traceback .*|^.*\bP\d{4}\b:? .*|^.*dirty database.*",
        passed=r"^.*\b(?:applied|migrated|upgraded|OK|up to date|No migrations to apply|Running upgrade)\b.*"
        r"|^.*\bsuccess\w*\b.*",
        shown=r"(?i)\(head\)|\[x\]|migration\w* (?:applied|complete\w*)|up to date|no pending|schema is up",
        named=r"\b(?:migr\w+|schema\w*|esquema|schéma)\b|迁移|マイグレーション|移行",
    ),
    Kind(
        id="deploy",
        noun="the deployment",
        programs="terraform apply|tofu apply|pulumi up|kubectl apply|kubectl rollout|kubectl set|helm upgrade"
        "|helm install|fly deploy|flyctl deploy|vercel|vercel deploy|netlify deploy|firebase deploy"
        "|serverless deploy|sls deploy|cdk deploy|sam deploy|gcloud app deploy|gcloud run deploy"
        "|gcloud functions deploy|eb deploy|az webapp up|heroku container:release|cap deploy"
        "|ansible-playbook|wrangler deploy|wrangler publish|railway up|render deploy|docker stack deploy"
        "|docker compose up|aws s3 sync|aws cloudformation deploy|aws ecs update-service"
        "|aws lambda update-function-code|kamal deploy|argocd app sync|systemctl restart|systemctl reload"
        "|systemctl start|rsync|nomad job run|dokku deploy|modal deploy|skaffold run",
        tasks=r"deploy\w*|rollout|release|ship|promote|provision|restart",
        tools="deploy|deployment|rollout|release",
        failed=r"^.*\b(?:deploy\w*|rollout|release|upgrade|apply|service|pod|task)\b[^\n]*\b(?:failed|aborted"
        r"|rolled back|unhealthy|not ready|crash\w*)\b.*|^.*\b(?:rolled back|rolling back|CrashLoopBackOff"
        "|ImagePullBackOff|ErrImagePull|unhealthy|exceeded its progress deadline|UPGRADE FAILED"
        r"|ROLLBACK_\w+)\b.*|^\s*(?:\W\s*)?Error:? .*|^error:? .*|^ERROR:? .*|^fatal: .*|^.*\bfailed=[1-9].*"
        r"|^.*\bunreachable=[1-9].*|^Job for .* failed.*|^.*\bhealth ?checks?\b[^\n]*\b(?:failed|failing"
        r"|[45]\d\d)\b.*|^.*\bexceeded\b.*|^Failed to .*",
        passed=r"^.*\b(?:success\w*|deployed|rolled out|complete\w*|healthy|configured|unchanged|created|ready|live"
        r"|running|Started)\b.*|^Apply complete.*|^.*\bfailed=0\b.*",
        shown=r"(?i)successfully rolled out|\bdeployed\b|\bhealthy\b|\bREADY\b|\b(\d+)/\1\b[^\n]*running"
        r"|active \(running\)|\blive\b|\bstatus\W+(?:ok|up|active|running|succe\w+)|HTTP/\S+ 200|\b200 OK",
        named=r"\b(?:deploy\w*|redeploy\w*|live|prod|production|staging|rollout|rolled out|released?|shipped"
        r"|bereitgestellt|ausgerollt|produktion|online|déploy\w*|en ligne|mise? en production|despleg\w*"
        r"|desplieg\w*|producción|implantad\w*|produção|produzione|distribuit\w*|uitgerold|productie"
        r"|restarted|up and running|servers?|services?)\b|部署|上线|生产|デプロイ|本番|リリース",
    ),
    Kind(
        id="publish",
        noun="the publication",
        programs="npm publish|twine upload|cargo publish|poetry publish|uv publish|hatch publish|gem push"
        "|docker push|podman push|helm push|gh release create|glab release create|dotnet nuget push"
        "|mvn deploy|lerna publish|changeset publish|vsce publish",
        tasks="publish|upload",
        tools="publish",
        failed=r"^npm ERR!.*|^npm error.*|^.*\bE40[0-9]\b.*|^.*HTTPError.*|^ERROR:? .*|^error:? .*|^.*denied.*"
        "|^.*unauthorized.*|^.*403 Forbidden.*|^fatal: .*|^.*already exists.*|^.*cannot publish over.*",
        passed=r"^\+ \S+@\d.*|^.*\b(?:published|uploaded|pushed|digest: sha256)\b.*|^View at:.*|^https?://.*",
        named=r"\b(?:publish\w*|published|veröffentlich\w*|publi[éec]\w*|publicad\w*|pubblicat\w*|gepubliceerd"
        r"|released?|registry|npm|PyPI|upload\w*)\b|发布|公開",
    ),
    Kind(
        id="install",
        noun="the installation",
        programs="pip install|pip3 install|pipx install|uv pip install|uv add|uv sync|uv tool install|poetry install"
        "|poetry add|npm install|npm i|npm ci|npm add|apt install|apt-get install|apk add|yum install"
        "|dnf install|brew install|pacman -S|cargo install|cargo add|go install|go get|gem install"
        "|bundle install|bundle|composer install|composer require|conda install|mamba install"
        "|conda env create|pnpm install|playwright install|helm repo add|dotnet add|dotnet restore"
        "|mix deps.get|snap install|rustup|nix-env -i|code --install-extension|pdm install|pdm add",
        tasks="install|setup|bootstrap|deps|dependencies",
        tools="install",
        failed="^npm ERR!.*|^npm error.*|^ERROR: .*|^E: .*|^error: .*|^Error: .*|^.*No matching distribution.*"
        "|^.*Could not find a version.*|^.*Unable to locate package.*|^.*unsatisfiable.*"
        "|^.*No solution found.*|^.*ResolutionImpossible.*|^.*failed to (?:fetch|download|build).*"
        "|^.*ELIFECYCLE.*|^.*ERR_PNPM.*|^fatal: .*",
        passed=r"^(?:Successfully installed|added \d+ packages?|up to date|Requirement already satisfied|Installed"
        "|Resolved|Audited|Setting up|.*is already the newest).*",
        shown=r"(?i)^Name: |Version: \d|already satisfied|successfully installed",
        named=r"\b(?:instal\w*|dependenc\w*|abhängigkeit\w*|dépendances|dependencias|dipendenze|dependências"
        r"|afhankelijkheden|packages?|pakete?|paquets?|paquetes?)\b|安装|依赖|インストール|依存",
    ),
    Kind(
        id="pull request",
        noun="the pull request",
        programs="gh pr create|gh pr edit|gh pr ready|glab mr create|hub pull-request|az repos pr create|tea pr create",
        tools="pr",
        failed=r"^pull request create failed.*|^.*GraphQL: .*|^.*HTTP 4\d\d.*"
        "|^.*a pull request for branch .* already exists.*|^fatal: .*|^error: .*|^.*must be authenticated.*"
        "|^.*To get started with GitHub CLI.*|^.*No commits between.*|^aborted.*",
        passed=r"^.*https?://\S+/(?:pull|merge_requests|pullrequest)/\d+.*",
        shown=r"/(?:pull|merge_requests)/\d+",
        named=r"\b(?:pull[- ]?requests?|PRs?|merge[- ]?requests?|MRs?)\b|拉取请求|プルリク",
    ),
    Kind(
        id="merge",
        noun="the merge",
        programs="git merge|gh pr merge|glab mr merge|git rebase|git pull|git cherry-pick",
        tools="merge",
        failed="^CONFLICT .*|^.*Automatic merge failed.*|^fatal: .*|^error: .*|^.*not mergeable.*"
        "|^.*merge (?:conflict|is blocked).*|^X Pull request.*",
        passed="^Fast-forward.*|^Merge made by.*|^Already up[ -]to[ -]date.*|^Successfully rebased.*"
        "|^.*Merged pull request.*|^✓ .*",
        shown=r"(?i)\bmerged\b|nothing to commit",
        named=r"\b(?:merg\w*|gemerg\w*|zusammengeführt|fusion\w*|rebas\w*|cherry-?pick\w*)\b|合并|マージ",
    ),
    Kind(
        id="push",
        noun="the push",
        programs="git push|jj git push|hg push|svn commit",
        tools="push",
        failed=r"^\s*! \[(?:remote )?rejected\].*|^error: failed to push.*|^fatal: .*|^remote: (?:error|fatal"
        r"|Permission).*|^.*\bPermission denied\b.*|^ERROR: .*|^.*hook declined.*|^error: .*"
        "|^.*protected branch.*|^.*non-fast-forward.*",
        passed=r"^\s*\S*\s*[\w.]+\.\.+[\w.]+\s+\S+ -> .*|^.*\[new (?:branch|tag)\].*|^Everything up-to-date.*"
        r"|^.*\(forced update\).*|^.*set up to track.*",
        shown="(?i)up[ -]to[ -]date with|everything up-to-date",
        named=r"\b(?:push\w*|gepush\w*|pouss\w*|subid\w*|enviad\w* al? (?:repo\w*|remoto)|upstream|origin|remote"
        r"|caricat\w*)\b|推送|プッシュ",
    ),
    Kind(
        id="commit",
        noun="the commit",
        programs="git commit|jj commit|hg commit|sl commit",
        tools="commit",
        failed=r"^fatal: .*|^error: .*|^.*no changes added to commit.*|^.*\.{3,}Failed\s*$|^husky - .*failed.*"
        "|^.*hook (?:failed|declined|exited).*|^Aborting commit.*",
        passed=r"^\[[^\]\n]+ [0-9a-f]{4,}\].*|^.*nothing to commit.*",
        named=r"\b(?:commit\w*|eingecheckt)\b|提交|コミット",
    ),
    Kind(
        id="backup",
        noun="the backup",
        programs="pg_dump|mysqldump|mongodump|restic backup|borg create|pg_restore|mongorestore",
        tasks="backup|restore|snapshot|dump",
        tools="backup",
        failed=r"^.*\berror: .*|^Fatal: .*|^.*FATAL: .*|^.*No space left.*|^.*connection .*failed.*",
        passed=r"^.*\b(?:complete\w*|success\w*|saved|done)\b.*",
        named=r"\b(?:back(?:ed)?[- ]?up\w*|backups?|sicherung\w*|gesichert|sauvegard\w*|copias? de seguridad"
        r"|respald\w*|restor\w*|wiederhergestellt|dump\w*|salvat\w*)\b|备份|バックアップ|恢复|復元",
    ),
    Kind(
        id="data",
        noun="the script",
        tasks="import|export|seed|sync|ingest|load|backfill|etl|reindex|report|generate",
        failed=r"^Traceback .*|^.*(?:Error|Exception): .*|^ERROR:? .*|^error:? .*|^fatal:? .*|^.*\bfailed\b.*"
        r"|^.*\baborted\b.*",
        passed=r"^.*\b(?:success\w*|complete\w*|done|imported|exported|loaded|synced|inserted|finished|generated"
        r"|wrote)\b.*",
        named=r"\b(?:import\w*|export\w*|sync\w*|load\w*|seed\w*|ingest\w*|backfill\w*|report\w*|generat\w*"
        r"|geladen|generier\w*|charg\w*|cargad\w*|carg\w*|génér\w*|generad\w*|sincroniz\w*|caricat\w*|rows"
        r"|records)\b|导入|导出|同步|生成|インポート|エクスポート|同期",
    ),
    Kind(
        id="file",
        things="file|document|doc|docs|page|note|notes",
        named=r"\b(?:fix\w*|edit\w*|updat\w*|chang\w*|wr[io]t\w*|add\w*|creat\w*|replac\w*|renam\w*|modif\w*"
        r"|refactor\w*|implement\w*|mov\w*|patched|adjusted|now \w+s|geändert|angepasst|aktualisiert|behoben"
        r"|korrigiert|ergänzt|hinzugefügt|ersetzt|erstellt|corrig\w*|ajout\w*|modifi\w*|créé\w*"
        r"|mis\w* à jour|correg\w*|añad\w*|actualiz\w*|cread\w*|cambi\w*|corrett\w*|aggiunt\w*|aggiornat\w*"
        r"|modificat\w*|atualiz\w*|bijgewerkt|aangepast|toegevoegd)\b|修改|更新|添加|创建|修复|写入|変更|追加|修正|作成",
    ),
    Kind(
        id="send",
        verbs="send|sends|email|mail|message|notify|reply|forward|post|tweet|invite|broadcast|text|sms|share"
        "|announce|dm",
        things="email|emails|mail|message|messages|sms|notification|notifications|invitation|recipients|webpage",
        shown=r"(?i)\b(?:sent|delivered)\b",
        already="sent|deliver|notif|invit|shar|post",
        named=r"\b(?:sent|send\w*|e-?mail\w*|mail\w*|messag\w*|notif\w*|informed|forwarded|replied|posted|tweeted"
        r"|invit\w*|shared|announced|texted|gesendet|geschickt|verschickt|versandt|benachrichtigt"
        r"|nachricht\w*|gepostet|eingeladen|weitergeleitet|informiert|envoy\w*|transmis\w*|prévenu\w*"
        r"|averti\w*|envi[aéó]\w*|mand[aéó]\w*|avis\w*|notific\w*|correo|mensajes?|inviat\w*|spedit\w*"
        r"|enviei|verstuurd|verzonden|bericht\w*)\b|发送|发了|已发|通知|邮件|消息|送信|送り|メール|連絡",
    ),
    Kind(
        id="pay",
        verbs="pay|payment|transfer|refund|charge|remit|payout|withdraw|deposit|disburse|reimburse",
        things="money|payment|payments|transaction|transactions|funds|bill|invoice|refund|amount|iban",
        shown=r"(?i)\b(?:paid|refunded|settled|succeeded|completed|executed|transferred)\b",
        already="paid|refund|process|transfer|charg|settl",
        named=r"\b(?:paid|pay\w*|transf\w*|refund\w*|charged|remitted|money|wired|reimburs\w*|bezahlt|überwiesen"
        r"|überweisung|erstatt\w*|zahlung\w*|pay[ée]\w*|paiement\w*|rembours\w*|virement\w*|vir[ée]\w*"
        r"|pag[aéóu]\w*|reembols\w*|devuelt\w*|pagat\w*|rimbors\w*|bonific\w*|betaald|terugbetaal\w*"
        r"|overgemaakt|abono|abonad\w*)\b|支付|付款|转账|退款|汇款|支払|送金|返金|振込",
    ),
    Kind(
        id="book",
        verbs="book|booking|rebook|reserve|reservation|schedule|reschedule|order|purchase|buy|checkout|place"
        "|enroll|register|subscribe",
        things="reservation|reservations|booking|bookings|hotel|flight|flights|appointment|table|ticket|calendar|event",
        shown=r"(?i)\b(?:booked|confirmed|reserved|scheduled|ordered)\b",
        already="book|reserv|schedul|regist|enrol|order",
        named=r"\b(?:book\w*|rebook\w*|reserv\w*|schedul\w*|reschedul\w*|order\w*|purchas\w*|bought|enroll\w*"
        r"|registered|subscri\w*|appointment|meeting|flight|table|seat|gebucht|umgebucht|buchung|reserviert"
        r"|reservierung|bestell\w*|termin\w*|vereinbart|gekauft|angemeldet|réserv\w*|command\w*|rendez-vous"
        r"|achet\w*|inscri\w*|agend\w*|compr[aéó]\w*|pedido|cita|vuelo|encarg\w*|prenot\w*|ordinat\w*"
        r"|appuntamento|acquistat\w*|marcad\w*|geboekt|besteld|gereserveerd|afspraak)\b|预订|预约|预定|订|购买|下单|安排"
        "|予約|注文|購入|手配",
    ),
    Kind(
        id="cancel",
        verbs="cancel|void|revoke|unsubscribe|withdraw|terminate|close|decline",
        shown=r"(?i)\bcancell?ed\b",
        already="cancel|void|clos|terminat|unsubscrib",
        named=r"\b(?:cancel\w*|revoked|unsubscribed|terminated|closed|called off|storn\w*|gekündigt|abgesagt"
        r"|annul\w*|résili\w*|désabonn\w*|cancelé|anulad\w*|anul[éó]|dad\w* de baja|disdett\w*|geannuleerd"
        r"|opgezegd|withdrawn)\b|取消|退订|注销|キャンセル|解約",
    ),
    Kind(
        id="delete",
        verbs="delete|remove|destroy|drop|purge|erase|unlink|archive|clear|wipe|trash|rm",
        shown=r"(?i)\b(?:deleted|removed|not found|no such|gone|404)\b",
        already="delet|remov|gone|archiv|purg|clear",
        named=r"\b(?:delet\w*|remov\w*|cleaned|clear\w*|drop\w*|purg\w*|eras\w*|wip\w*|gone|archiv\w*|gelöscht"
        r"|entfernt|bereinigt|archiviert|aufgeräumt|supprim\w*|effac\w*|nettoy\w*|retir\w*|elimin\w*|borr\w*"
        r"|limpi\w*|quitad\w*|cancellat\w*|rimoss\w*|apagad\w*|exclu[ií]\w*|removid\w*|verwijderd"
        r"|opgeruimd)\b|删除|清除|清理|移除|归档|削除|消去",
    ),
    Kind(
        id="create",
        verbs="create|add|insert|make|new|open|issue|provision|generate|append|submit|file|log|assign|grant|attach",
        shown=r"(?i)\b(?:created|added|open|exists)\b",
        already="creat|open|assign|fil|submit|log",
        named=r"\b(?:creat\w*|add\w*|open\w*|filed|made|issu\w*|logg\w*|set up|submit\w*|submitted|assigned"
        r"|granted|provisioned|generated|raised|erstell\w*|angelegt|hinzugefügt|eröffnet|eingereicht"
        r"|eingetragen|zugewiesen|cré[ée]\w*|ajout\w*|ouvert\w*|soumis\w*|dépos\w*|cre[aéó]\w*|añad\w*"
        r"|agreg\w*|abiert\w*|registrad\w*|present\w*|asignad\w*|aggiunt\w*|apert\w*|inserit\w*|crié"
        r"|criad\w*|adicion\w*|abert\w*|aangemaakt|toegevoegd|geopend|ingediend)\b|创建|新建|添加|提交|登记|开通|作成|追加"
        "|登録|起票",
    ),
    Kind(
        id="update",
        verbs="update|modify|change|edit|set|rename|move|replace|patch|put|upgrade|downgrade|reset|exchange"
        "|return|adjust|apply|enable|disable|activate|deactivate|approve|reject|mark|rotate|restore"
        "|rollback|lock|unlock|block|unblock|suspend|turn|toggle|configure|sync|import|resolve|complete"
        "|merge|swap|increase|decrease|extend|renew|transition",
        shown=r"(?i)\b(?:updated|changed|modified|completed|applied|enabled|disabled|active)\b",
        already="updat|appl|enabl|disabl|activ|mark|clos|resolv|approv|chang|merg|mov|lock|return|exchang",
        named=r"\b(?:updat\w*|chang\w*|modif\w*|edit\w*|set|renam\w*|mov\w*|replac\w*|upgrad\w*|downgrad\w*|reset"
        r"|exchang\w*|return\w*|adjust\w*|appl\w*|enabl\w*|disabl\w*|activ\w*|deactiv\w*|approv\w*|mark\w*"
        r"|rotat\w*|restor\w*|rolled|locked|unlocked|block\w*|suspend\w*|turned|switch\w*|config\w*"
        r"|resolv\w*|complet\w*|extend\w*|renew\w*|swapp\w*|increas\w*|decreas\w*|rais\w*|lower\w*"
        r"|transition\w*|closed|aktualisier\w*|geänder\w*|umbenannt|verschoben|ersetzt|zurückgesetzt"
        "|umgetauscht|getauscht|aktiviert|deaktiviert|gesperrt|eingestellt|angepasst|erhöht|verlängert"
        r"|umgestellt|geschlossen|gesetzt|mis\w* à jour|modifi\w*|chang\w*|renomm\w*|remplac\w*|activ\w*"
        r"|désactiv\w*|échang\w*|ajust\w*|prolong\w*|augment\w*|actualiz\w*|cambi\w*|cambié|renombr\w*"
        r"|reemplaz\w*|habilit\w*|ampliad\w*|subid\w*|ajust\w*|modificat\w*|aggiornat\w*|cambiat\w*"
        r"|spostat\w*|attivat\w*|disattivat\w*|alterad\w*|atualiz\w*|ativad\w*|bijgewerkt|gewijzigd"
        r"|aangepast|verplaatst|ingeschakeld|uitgeschakeld|verhoogd)\b|更新|修改|更改|变更|调整|启用|禁用|开启|关闭|重置|設定|変更"
        "|更新|有効|無効|修正",
    ),
    Kind(
        id="save",
        verbs="save|write|store|upload|export|backup|publish|persist|record|upsert",
        shown=r"(?i)\b(?:saved|stored|uploaded|exported|written|published)\b",
        already="sav|stor|upload|publish|export",
        named=r"\b(?:sav\w*|wr[io]t\w*|stor\w*|upload\w*|export\w*|back(?:ed)? ?up|publish\w*|recorded|gespeichert"
        r"|geschrieben|hochgeladen|exportiert|abgelegt|veröffentlicht|gesichert|enregistr\w*|sauvegard\w*"
        r"|écrit\w*|télévers\w*|publi\w*|guard[aéó]\w*|escrit\w*|subid\w*|export\w*|salvat\w*|scritt\w*"
        r"|caricat\w*|salv[aoe]\w*|opgeslagen|geschreven|geüpload)\b|保存|写入|上传|导出|发布|記録|アップロード|書き出|公開",
    ),
)
KINDS: Final = {kind.id: kind for kind in _ALL}
"""Every kind by its id. Of a command the first kind counts that has it."""
ON_CODE: Final = frozenset(kind.id for kind in _ALL if kind.programs) | {"data"}
"""What is done to a project by commands."""
VERB_KINDS: Final = frozenset(kind.id for kind in _ALL if kind.verbs)
"""What is done by a tool that is named after a verb."""
VERB_OF: Final = {word: kind.id for kind in reversed(_ALL) for word in kind.verbs.split("|") if word}
"""The kind of each verb."""
THINGS: Final = {word: kind.id for kind in _ALL for word in kind.things.split("|") if word}
"""The kind of each thing that a tool's verb is done to."""
