/**
 * Writes the GitHub workflow that deploys stages in order: the first, and the next one after it,
 * each in the environment of its name, where GitHub may ask a person first. A pull request gets the
 * plan of the last stage as a comment. Steps name roles (lib/pipeline-stack.ts); no key is stored.
 */
import { PLAN_SUFFIX, toRoleName } from '../../../lib/pipeline-roles.ts'

/** A stage of which account and region are known. */
export type PipelineStage = {
  readonly name: string
  readonly account: string
  readonly region: string
}

/** Releases by their commits: a tag can be moved. */
const CHECKOUT = 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1'
const SETUP_NODE = 'actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0'
const CREDENTIALS =
  'aws-actions/configure-aws-credentials@e6de054238d6b7531b4efff3b6587d9aade6a06c # v6.2.3'
/** A deploy shifts calls for minutes and waits for CloudFront where a stage has one. */
const DEPLOY_MINUTES_MAX = 90
const PLAN_MINUTES_MAX = 20

const HEAD = `# Written by "skillgate init --pipeline github"; from here on it is yours. docs/pipeline.md says what
# GitHub and the accounts need first.
name: Deploy
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
concurrency:
  # Two deploys of one stage would undo each other, so a push waits for the one before it.
  group: deploy-\${{ github.event_name == 'pull_request' && github.ref || 'main' }}
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}
jobs:
`

/** Returns the text of the workflow. `stages` has at least one, in the order of deploys. */
export function writeWorkflow(stages: readonly PipelineStage[]): string {
  const last = stages.at(-1)
  const deploys = stages.map((stage, at) => writeDeploy(stage, stages[at - 1]))
  return HEAD + [...(last === undefined ? [] : [writePlan(last)]), ...deploys].join('\n')
}

/** Pull requests of forks get no token from GitHub, so they are not planned. */
function writePlan(stage: PipelineStage): string {
  return `  plan:
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-24.04
    timeout-minutes: ${PLAN_MINUTES_MAX}
    environment: ${stage.name}${PLAN_SUFFIX}
    permissions:
      contents: read
      id-token: write
      pull-requests: write
    steps:
${writeSetUp(stage, 'Plan', 'fetch-depth: 0')}
      - run: npm ci
      - name: The base, to compare the cost
        env:
          BASE: \${{ github.event.pull_request.base.sha }}
        run: |
          git worktree add --detach ../base "$BASE"
          npm ci --prefix ../base
      - run: npm run --silent plan -- --stage ${stage.name} --base ../base > ../plan.md
      - env:
          GH_TOKEN: \${{ github.token }}
          NUMBER: \${{ github.event.pull_request.number }}
        run: |
          cat ../plan.md >> "$GITHUB_STEP_SUMMARY"
          gh pr comment "$NUMBER" --edit-last --create-if-none --body-file ../plan.md
`
}

function writeDeploy(stage: PipelineStage, before: PipelineStage | undefined): string {
  const needs = before === undefined ? '' : `\n    needs: deploy-${before.name}`
  return `  deploy-${stage.name}:
    if: github.event_name == 'push'${needs}
    runs-on: ubuntu-24.04
    timeout-minutes: ${DEPLOY_MINUTES_MAX}
    environment: ${stage.name}
    permissions:
      contents: read
      id-token: write
    steps:
${writeSetUp(stage, 'Deploy')}
      - run: npm ci
      - run: npx skillgate deploy --stage ${stage.name} -- --require-approval never
`
}

function writeSetUp(
  { account, name, region }: PipelineStage,
  kind: 'Deploy' | 'Plan',
  more?: string,
): string {
  const checkout = more === undefined ? '' : `\n          ${more}`
  return `      - uses: ${CHECKOUT}
        with:
          persist-credentials: false${checkout}
      - uses: ${SETUP_NODE}
        with:
          node-version: 24
      - uses: ${CREDENTIALS}
        with:
          role-to-assume: arn:aws:iam::${account}:role/${toRoleName(name, kind)}
          role-session-name: \${{ github.run_id }}-\${{ github.run_attempt }}
          aws-region: ${region}`
}
