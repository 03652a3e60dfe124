/** The workflow files, as text. Each pushes the build, orders playtests of it, and checks the results every six hours. */
export interface Plan {
  /** The game as a shell word: an id, or the variable that contains it. */
  game: string;
  /** Base URL to write into the file; undefined: taken from a CI variable. */
  baseUrl: string | undefined;
  /** Whether the API key goes to that address without encryption. */
  insecure: boolean;
  /** Directory, file or URL, as a shell word. */
  build: string;
  /** What uploads the build and prints its URL, as a shell word; undefined: the server hosts builds. */
  uploadCmd: string | undefined;
  /** Whether the server keeps the version: of builds that are uploaded to it. */
  labeled: boolean;
  quantity: number;
  /** Dollars, as `--max-cost` takes them. */
  maxCost: string;
  /** What npm installs, as a shell word; undefined: taken from a CI variable. */
  package: string | undefined;
  /** Whether the package is a file of the repository. */
  packageInRepository: boolean;
}

/** One command pushes and orders: if ordering fails, the next run retries it, and no build is ordered for twice. */
const order = ({ build, game, quantity, maxCost, uploadCmd, labeled }: Plan) =>
  `echo "quantity: ${quantity}" | playtest games push ${build} ${game}${uploadCmd ? ` --upload-cmd ${uploadCmd}` : ""} --if-changed${labeled ? " --version-from git" : ""} --order - --max-cost ${maxCost}`;
const latest = ({ game }: Plan) => `latest=$(playtest playtests list ${game} --limit 1 --jq '.playtests[0].id // empty')`;
const install = (plan: Plan) => `npm install --global ${plan.package ?? '"$PLAYTEST_PACKAGE"'}`;

/** Fails if more than one video of the newest playtest was rejected. A playtest that is not finished (exit 8) passes until the next run. */
const gate = (plan: Plan) => [
  latest(plan),
  'test -n "$latest" || exit 0',
  "code=0",
  `playtest playtests wait "$latest" --until all-reviewed --fail-if 'rejected>1' --for 0 || code=$?`,
  'playtest ci summary "$latest"',
  'test "$code" -eq 8 || exit "$code"',
];

const indent = (lines: readonly string[], by: number) => lines.map((line) => `${" ".repeat(by)}${line}`).join("\n");

const githubVariable = (name: string) => `\${{ vars.${name} }}`;

/** The secrets and variables that the comment at the top of a file lists. */
const requirements = ({ baseUrl, game, package: installed }: Plan, secret: string) =>
  [
    secret,
    ...(installed
      ? []
      : ["the variable PLAYTEST_PACKAGE (what npm installs: the URL of a tarball or git repository, or a registry name)"]),
    ...(baseUrl ? [] : ["the variable PLAYTEST_BASE_URL"]),
    ...(game.includes("$") ? ["the variable PLAYTEST_GAME"] : []),
  ].join(", ");

/** By the hash of a release: a tag can be moved to another program, which would get the API key. */
const actions = {
  checkout: "actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1",
  setupNode: "actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0",
};

const variables = (plan: Plan) =>
  [...(plan.game.includes("$") ? ["PLAYTEST_GAME"] : []), ...(plan.package ? [] : ["PLAYTEST_PACKAGE"])]
    .map((name) => `  ${name}: ${githubVariable(name)}\n`)
    .join("");

/** Variables that decide how the instance is reached, with their values. */
const connection = ({ baseUrl, insecure }: Plan): [string, string][] => [
  ...(baseUrl === undefined ? [] : [["PLAYTEST_BASE_URL", baseUrl] satisfies [string, string]]),
  ...(insecure ? [["PLAYTEST_INSECURE", "1"] satisfies [string, string]] : []),
];
const yamlLines = (plan: Plan) =>
  connection(plan)
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`)
    .join("");

const github = (plan: Plan) => `# Pushes the build, orders playtests of it, and fails if more than one video is rejected.
# Requires ${requirements(plan, "the secret PLAYTEST_API_KEY")}.
name: playtest
on:
  push:
    branches: [main]
  schedule:
    - cron: "17 */6 * * *"
  workflow_dispatch:
permissions:
  contents: read
concurrency:
  group: playtest-\${{ github.event_name }}-\${{ github.ref }}
env:
  PLAYTEST_API_KEY: \${{ secrets.PLAYTEST_API_KEY }}
${plan.baseUrl ? "" : `  PLAYTEST_BASE_URL: ${githubVariable("PLAYTEST_BASE_URL")}\n`}${yamlLines(plan)}${variables(plan)}jobs:
  order:
    if: github.event_name != 'schedule'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: ${actions.checkout}
      - uses: ${actions.setupNode}
        with:
          node-version: 22
      - run: ${install(plan)}
      # Build the game here.
      - id: playtest
        run: |
${indent([order(plan)], 10)}
  gate:
    if: github.event_name == 'schedule'
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
${plan.packageInRepository ? `      - uses: ${actions.checkout}\n` : ""}      - uses: ${actions.setupNode}
        with:
          node-version: 22
      - run: ${install(plan)}
      - run: |
${indent(gate(plan), 10)}
`;

const gitlab = (
  plan: Plan,
) => `# Pushes the build and orders playtests of it. In a scheduled pipeline, fails if more than one video is rejected.
# Requires ${requirements(plan, "the masked variable PLAYTEST_API_KEY")}.
default:
  image: node:22
  before_script:
    - ${install(plan)}
${yamlLines(plan) && `variables:\n${yamlLines(plan)}`}# Build the game in an earlier job and keep the build as an artifact.
playtest-order:
  rules:
    - if: $CI_PIPELINE_SOURCE != "schedule" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - |
${indent([order(plan)], 6)}
playtest-gate:
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  script:
    - |
${indent(gate(plan), 6)}
`;

const jenkins = (plan: Plan) => `// Pushes the build, orders playtests of it, and fails if more than one video is rejected.
// Requires ${requirements(plan, "the secret text 'playtest-api-key'")}.
pipeline {
  agent { docker { image 'node:22' } }
  triggers { cron('H */6 * * *') }
  options { disableConcurrentBuilds() }
  environment {
    PLAYTEST_API_KEY = credentials('playtest-api-key')
${connection(plan)
  .map(([name, value]) => `    ${name} = '${value}'\n`)
  .join("")}    NPM_CONFIG_PREFIX = "\${env.WORKSPACE}/.npm"
    PATH = "\${env.WORKSPACE}/.npm/bin:\${env.PATH}"
  }
  stages {
    stage('Install') {
      steps {
        sh '''
${indent([install(plan)], 10)}
        '''
      }
    }
    // Build the game in an earlier stage.
    stage('Push and order') {
      when { not { triggeredBy 'TimerTrigger' } }
      steps {
        sh '''
${indent([order(plan)], 10)}
        '''
      }
    }
    stage('Gate') {
      when { triggeredBy 'TimerTrigger' }
      steps {
        sh '''
${indent(gate(plan), 10)}
        '''
      }
    }
  }
}
`;

export interface Workflow {
  path: string;
  text(plan: Plan): string;
}

export const workflows: Readonly<Record<"github" | "gitlab" | "jenkins", Workflow>> = {
  github: { path: ".github/workflows/playtest.yml", text: github },
  gitlab: { path: ".gitlab-ci.yml", text: gitlab },
  jenkins: { path: "Jenkinsfile", text: jenkins },
};
