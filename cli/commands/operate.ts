/**
 * dev, deploy, diff, destroy and migrate, with the words after `--` passed on. What they do needs a clone: it is in
 * cli/clone, which is loaded when one of them runs. The published package has the twin alone.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Command, type Invocation, type Option, option } from '../command/command.ts'
import { confirmed, YES } from '../command/confirm.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'

/** A clone's root; in the published package, the folder above it, which is no clone. */
const CLONE = resolve(import.meta.dirname, '../..')
/** Beside the bundle of the published package. */
const PACKED_TWIN = join(import.meta.dirname, 'twin.mjs')
/** The first Node with SQLite without a flag. */
const TWIN_NODE = [22, 13] as const

async function dev(call: Invocation): Promise<ExitCode> {
  if (existsSync(PACKED_TWIN)) {
    if (!canRunTwin(process.versions.node)) {
      throw new CommandFault(
        `The twin needs Node ${TWIN_NODE.join('.')}, which has SQLite; this is ${process.versions.node}.`,
        { remedy: 'Start it with a newer Node, or use a clone, which brings its own.' },
      )
    }
    // Node 22 warns at each start that SQLite is experimental.
    return started(call, ['--disable-warning=ExperimentalWarning', PACKED_TWIN, ...call.rest])
  }
  const keepCompiled = pathToFileURL(inClone('local/keep-compiled.ts')).href
  return started(call, ['--import', keepCompiled, inClone('local/main.ts'), ...call.rest])
}

export function canRunTwin(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > TWIN_NODE[0] || (major === TWIN_NODE[0] && minor >= TWIN_NODE[1])
}

async function deploy(call: Invocation): Promise<ExitCode> {
  inClone('cli/clone/deploy')
  const { deployStage } = await import('../clone/deploy/deploy-stage.ts')
  return deployStage(stageWords(call), call.shell)
}

async function diff(call: Invocation): Promise<ExitCode> {
  inClone('cli/clone/deploy')
  const { diffStage } = await import('../clone/deploy/deploy-stage.ts')
  return diffStage(stageWords(call), call.shell)
}

async function destroy(call: Invocation): Promise<ExitCode> {
  const words = stageWords(call)
  if (!(await confirmed(call, `Destroy stage ${words.stage}?`))) return EXIT.failed
  inClone('cli/clone/deploy')
  const { destroyStage } = await import('../clone/deploy/deploy-stage.ts')
  return destroyStage(words, call.shell)
}

async function migrate({ rest, shell }: Invocation): Promise<ExitCode> {
  inClone('cli/clone/migrate')
  const [{ runProgram }, { MIGRATE }] = await Promise.all([
    import('../clone/program.ts'),
    import('../clone/migrate/migrate.ts'),
  ])
  return runProgram(MIGRATE, rest, shell)
}

function stageWords(call: Invocation) {
  return { stage: option(call, 'stage') ?? 'dev', rest: call.rest }
}

function inClone(file: string): string {
  const path = join(CLONE, file)
  if (existsSync(path)) return path
  throw new CommandFault('This command needs a clone of the repository.', {
    remedy: 'Clone it, run npm ci, and use npx skillgate there.',
  })
}

async function started({ shell }: Invocation, words: readonly string[]): Promise<ExitCode> {
  return (await shell.programs.show(process.execPath, words)) ?? EXIT.failed
}

const STAGE: Option = {
  flag: 'stage',
  value: 'STAGE',
  help: 'the stage (dev)',
  choices: ['dev', 'prod'],
}
const NO_ACCOUNT = 'needs an AWS account'

export const OPERATE_COMMANDS: readonly Command[] = [
  {
    name: 'dev',
    summary: 'Start the twin: the whole gateway on this machine',
    details: 'Words after -- are options of the twin; skillgate dev -- --help lists them.',
    arguments: [],
    options: [],
    examples: [{ says: 'Print the options of the twin', line: 'skillgate dev -- --help' }],
    prints: 'addresses and keys, and then a line for each call',
    passesOn: true,
    run: dev,
  },
  {
    name: 'deploy',
    summary: 'Deploy a stage to AWS, after checking the limits of the account',
    details:
      'Needs a clone, and an account that is bootstrapped for the CDK. Says what the stage will cost, deploys it, makes the first user and key of a new one, and runs the smoke test. Words after -- go to the CDK.',
    arguments: [],
    options: [STAGE],
    examples: [
      { says: 'Deploy for trying out', line: 'skillgate deploy --stage dev', untested: NO_ACCOUNT },
    ],
    prints:
      "the account's limits, the costs, the CDK's progress, the addresses of the stage, the first key and the lines that connect",
    passesOn: true,
    run: deploy,
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
    passesOn: true,
    run: diff,
  },
  {
    name: 'destroy',
    summary: 'Take a stage down',
    details: 'Needs a clone. The data of the stage prod is kept.',
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
    passesOn: true,
    run: destroy,
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
    passesOn: true,
    run: migrate,
  },
]
