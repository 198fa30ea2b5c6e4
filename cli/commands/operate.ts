/**
 * The commands `dev`, `deploy`, `diff`, `rollback`, `destroy`, `migrate`, `edge rotate` and
 * `advise capacity`; most pass the words after `--` on. All but `dev` need a clone: their code is in
 * cli/clone and is loaded when one of them runs. The published package has only the twin.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { enterStage } from '../aws/stage-environment.ts'
import { type Command, getOption, type Invocation, type Option } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'

/**
 * The root of a clone. In the published package this is the folder above the package, which is no
 * clone.
 */
const CLONE = resolve(import.meta.dirname, '../..')
/** The twin of the published package, beside the bundle of the command line. */
const PACKED_TWIN = join(import.meta.dirname, 'twin.mjs')
/** The first version of Node that has SQLite without a flag. */
const TWIN_NODE_MIN = [22, 13] as const

async function dev(call: Invocation): Promise<ExitCode> {
  if (existsSync(PACKED_TWIN)) {
    if (!canRunTwin(process.versions.node)) throw toOldNodeFault(call)
    // Node 22 prints a warning at each start that SQLite is experimental.
    return runNode(call, ['--disable-warning=ExperimentalWarning', PACKED_TWIN, ...call.rest])
  }
  const keepCompiled = pathToFileURL(findInClone('local/keep-compiled.ts')).href
  return runNode(call, ['--import', keepCompiled, findInClone('local/main.ts'), ...call.rest])
}

/** Tells whether this version of Node, as `22.13.1`, can run the twin. */
export function canRunTwin(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > TWIN_NODE_MIN[0] || (major === TWIN_NODE_MIN[0] && minor >= TWIN_NODE_MIN[1])
}

/** npm has Node as a package, so the remedy needs no installation. */
function toOldNodeFault({ rest, shell }: Invocation): CommandFault {
  const [npx, fetched] = shell.program.split(' ')
  const words = ['npx --yes --package node@24']
  if (npx === 'npx') words.push(`--package ${fetched}`)
  words.push('-- skillgate dev', ...(rest.length === 0 ? [] : ['--', ...rest]))
  return new CommandFault(
    `The twin needs Node ${TWIN_NODE_MIN.join('.')}, which has SQLite; this is ${process.versions.node}.`,
    { details: [words.join(' ')], remedy: 'This line starts it with Node 24, which npx fetches.' },
  )
}

async function deploy(call: Invocation): Promise<ExitCode> {
  findInClone('cli/clone/deploy')
  const { deployStage } = await import('../clone/deploy/deploy-stage.ts')
  return deployStage(readStageWords(call), call.shell)
}

async function advise(call: Invocation): Promise<ExitCode> {
  findInClone('cli/clone/advise')
  const { printCapacityAdvice } = await import('../clone/advise/capacity.ts')
  return printCapacityAdvice(call)
}

async function diff(call: Invocation): Promise<ExitCode> {
  findInClone('cli/clone/deploy')
  const { diffStage } = await import('../clone/deploy/deploy-stage.ts')
  return diffStage(readStageWords(call), call.shell)
}

async function rollback(call: Invocation): Promise<ExitCode> {
  const { stage } = readStageWords(call)
  const given = getOption(call, 'to')
  if (given !== undefined && !RELEASE_NUMBER.test(given)) {
    throw toUsageFault(
      `--to: is ${JSON.stringify(given)}; give the number of a release, such as 12`,
    )
  }
  findInClone('cli/clone/release')
  const { rollbackStage } = await import('../clone/release/rollback.ts')
  const to = given === undefined ? undefined : Number(given)
  return rollbackStage({ stage, to }, await enterStage(stage, call.shell))
}

async function destroy(call: Invocation): Promise<ExitCode> {
  const words = readStageWords(call)
  if (!(await askConfirmation(call, `Destroy stage ${words.stage}?`))) return EXIT.failed
  findInClone('cli/clone/deploy')
  const { destroyStage } = await import('../clone/deploy/deploy-stage.ts')
  return destroyStage(words, call.shell)
}

async function rotateEdge(call: Invocation): Promise<ExitCode> {
  findInClone('cli/clone/edge')
  const { rotateEdgeSecret } = await import('../clone/edge/rotate.ts')
  const { stage } = readStageWords(call)
  return rotateEdgeSecret(stage, await enterStage(stage, call.shell))
}

async function migrate({ rest, shell }: Invocation): Promise<ExitCode> {
  findInClone('cli/clone/migrate')
  const [{ runProgram }, { MIGRATE }] = await Promise.all([
    import('../clone/program.ts'),
    import('../clone/migrate/migrate.ts'),
  ])
  return runProgram(MIGRATE, rest, shell)
}

function readStageWords(call: Invocation) {
  return { stage: getOption(call, 'stage') ?? 'dev', rest: call.rest }
}

function findInClone(file: string): string {
  const path = join(CLONE, file)
  if (existsSync(path)) return path
  throw new CommandFault('This command needs a clone of the repository.', {
    remedy: 'Clone it, run npm ci, and use npx skillgate there.',
  })
}

async function runNode({ shell }: Invocation, words: readonly string[]): Promise<ExitCode> {
  return (await shell.programs.show(process.execPath, words)) ?? EXIT.failed
}

const STAGE: Option = {
  flag: 'stage',
  value: 'STAGE',
  help: 'dev, prod or a stage of skillgate.config.json (dev)',
  completes: 'stages',
}
/** Numbers count up from 1 with each deploy that moves something. */
const RELEASE_NUMBER = /^[1-9]\d{0,8}$/
const NO_ACCOUNT = 'needs an AWS account'

export const OPERATE_COMMANDS: readonly Command[] = [
  {
    name: 'dev',
    summary: 'Start the twin: the whole gateway on this machine',
    details:
      'Needs no clone: in any folder it makes .skillgate, where users, credits and keys are kept (.local in a clone), and the profile local of the command line. Words after -- are options of the twin; skillgate dev -- --help lists them.',
    arguments: [],
    options: [],
    examples: [{ says: 'Print the options of the twin', line: 'skillgate dev -- --help' }],
    prints: 'addresses and keys, and then a line for each call',
    data: 'none',
    passesOn: true,
    run: dev,
  },
  {
    name: 'deploy',
    summary: 'Deploy a stage to AWS, after checking the limits of the account',
    details:
      'Needs a clone, and an account that is bootstrapped for the CDK. Says what the stage will cost, publishes new versions, moves the requests to them (in prod a tenth for ten minutes, and back if an alarm rings), makes the first user and key of a new stage, and runs the smoke test. Words after -- go to the CDK.',
    arguments: [],
    options: [STAGE],
    examples: [
      { says: 'Deploy for trying out', line: 'skillgate deploy --stage dev', untested: NO_ACCOUNT },
    ],
    prints:
      "the account's limits, the costs, the CDK's progress, each move with its time, the addresses of the stage, the first key, the lines that connect and the checks",
    data: 'none',
    passesOn: true,
    run: deploy,
  },
  {
    name: 'advise capacity',
    summary: "Say whether a stage's table costs less on demand or provisioned",
    details:
      'Needs a clone. Reads what the table consumed in the last week, with your AWS credentials (dynamodb:ListTables, cloudwatch:GetMetricData), and changes nothing. Consumption has no throttled requests: raise the least capacity of a table that refused some. Prices are those of us-east-1.',
    arguments: [],
    options: [
      STAGE,
      {
        flag: 'table',
        value: 'NAME',
        help: 'the table, if the account still has one of an earlier stage',
      },
    ],
    examples: [
      {
        says: 'Before a stage is provisioned, and a week later',
        line: 'skillgate advise capacity --stage prod',
        untested: NO_ACCOUNT,
      },
    ],
    prints:
      'the price of that week in both ways, the least capacity, what it would have refused, and the fields to set',
    data: 'document',
    run: advise,
  },
  {
    name: 'diff',
    summary: 'Show what a deploy would change',
    details: 'Needs a clone. Words after -- go to the CDK.',
    arguments: [],
    options: [STAGE],
    examples: [
      {
        says: 'Compare with what is deployed',
        line: 'skillgate diff --stage prod',
        untested: NO_ACCOUNT,
      },
    ],
    prints: "the CDK's comparison",
    data: 'none',
    passesOn: true,
    run: diff,
  },
  {
    name: 'rollback',
    summary: 'Move the requests of a stage back to earlier versions',
    details:
      'Needs a clone, but builds nothing, and asks nothing. Moves all functions, in seconds, to their versions before the last deploy, and may run during one. Running it again changes nothing more. The last five releases before the live one are kept.',
    arguments: [],
    options: [
      STAGE,
      { flag: 'to', value: 'RELEASE', help: 'the number of a kept release (the one before)' },
    ],
    examples: [
      {
        says: 'Go back to where the last deploy began',
        line: 'skillgate rollback --stage prod',
        untested: NO_ACCOUNT,
      },
      {
        says: 'Go back further',
        line: 'skillgate rollback --stage prod --to 12',
        untested: NO_ACCOUNT,
      },
    ],
    prints: 'each move with its time',
    data: 'none',
    run: rollback,
  },
  {
    name: 'destroy',
    summary: 'Take a stage down',
    details: 'Needs a clone. The data of a stage like prod is kept.',
    arguments: [],
    options: [STAGE, YES],
    examples: [
      {
        says: 'Remove the stage for trying out',
        line: 'skillgate destroy --stage dev --yes',
        untested: NO_ACCOUNT,
      },
    ],
    prints: "the CDK's progress",
    data: 'none',
    passesOn: true,
    run: destroy,
  },
  {
    name: 'edge rotate',
    summary: 'Change the secret by which the edge proves itself to the doors',
    details:
      'Needs a clone, and a stage with edgeDomain. The doors accept both values until the distribution sends the new one everywhere, which takes some 5 to 15 minutes. A run that was broken off is finished by the next one.',
    arguments: [],
    options: [STAGE],
    examples: [
      {
        says: 'Change it for the stage prod',
        line: 'skillgate edge rotate --stage prod',
        untested: NO_ACCOUNT,
      },
    ],
    prints: 'each step, without a value',
    data: 'none',
    run: rotateEdge,
  },
  {
    name: 'migrate',
    summary: 'Move the records of the earlier service',
    details:
      'Needs a clone. Words after -- are its options; skillgate migrate -- --help lists them.',
    arguments: [],
    options: [],
    examples: [{ says: 'Print the options', line: 'skillgate migrate -- --help' }],
    prints: 'what was moved',
    data: 'none',
    passesOn: true,
    run: migrate,
  },
]
