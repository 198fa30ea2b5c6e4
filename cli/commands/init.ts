/**
 * The command `init`: writes skillgate.config.json with the stages dev and prod, and on request a
 * workflow that deploys them. Asks nothing: account and region are those of the AWS credentials, if
 * there are any. Never replaces a file.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import {
  CONFIG_VARIABLE,
  type Config,
  findConfigPath,
  readStagesFile,
} from '../../adapters/stages/config-file.ts'
import { BUILT_IN_STAGES, CONFIG_FILE, resolveRecord } from '../../core/settings/stage-records.ts'
import { openAwsAccount } from '../aws/ask-service.ts'
import { readCallerAccount } from '../aws/caller-account.ts'
import type { PipelineStage } from '../clone/pipeline/workflow.ts'
import type { Command, Invocation } from '../command/command.ts'
import { getOption, isOn } from '../command/command.ts'
import { printLine } from '../command/print.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote, type Shell } from '../terminal/shell.ts'

/** The root of a clone; in the published package a folder without the schema. */
const CLONE = resolve(import.meta.dirname, '../..')
const SCHEMA = join(CLONE, 'skillgate.config.schema.json')

type Place = { readonly account?: string; readonly region?: string }

async function init(call: Invocation): Promise<ExitCode> {
  const { shell } = call
  const { path } = findConfigPath(shell)
  if (getOption(call, 'pipeline') !== undefined) return initPipeline(call, path)
  if (existsSync(path)) throw toExistsFault(path)
  const place = await findPlace(shell)
  writeNewFile(path, formatConfig(path, place))
  if (isOn(call, 'json')) printLine(call, { path, ...place })
  else shell.out.write(`${formatNext(path, place, shell).join('\n')}\n`)
  return EXIT.ok
}

/** Where GitHub looks for workflows, below the root of a repository. */
const WORKFLOW = '.github/workflows/skillgate.yml'
const WRITER = join(CLONE, 'cli/clone/pipeline/workflow.ts')

/** Writes the workflow of the stages that the file has, and the file before it if there is none. */
async function initPipeline(call: Invocation, path: string): Promise<ExitCode> {
  const { shell } = call
  if (!existsSync(WRITER)) {
    throw new CommandFault('A pipeline needs a clone of the repository, which it deploys.', {
      remedy: 'Clone or fork it, run npm ci, and use npx skillgate there.',
    })
  }
  const workflow = join(shell.cwd, WORKFLOW)
  if (existsSync(workflow)) {
    throw new CommandFault(`${workflow} is there already.`, { remedy: 'Edit it, or remove it.' })
  }
  if (!existsSync(path)) writeNewFile(path, formatConfig(path, await findPlace(shell)))
  const stages = readPipelineStages(shell)
  const { writeWorkflow } = await import('../clone/pipeline/workflow.ts')
  mkdirSync(dirname(workflow), { recursive: true })
  writeNewFile(workflow, writeWorkflow(stages))
  const names = stages.map(({ name }) => name)
  if (isOn(call, 'json')) printLine(call, { path, workflow, stages: names })
  else shell.out.write(`${formatPipeline(path, workflow, names).join('\n')}\n`)
  return EXIT.ok
}

/** Returns the stages of the file in its order. Throws a fault for those that have no place yet. */
function readPipelineStages({ cwd, env }: Shell): readonly PipelineStage[] {
  const { records, shown } = readFileOrFault({ cwd, env })
  const stages = [...records.keys()].map((name) => {
    const { account, region } = resolveRecord(name, records)?.fields ?? {}
    return { name, account, region }
  })
  const known = stages.flatMap(({ account, name, region }) =>
    typeof account === 'string' && typeof region === 'string' ? [{ name, account, region }] : [],
  )
  if (known.length > 0 && known.length === stages.length) return known
  const lacking = stages.filter(({ name }) => !known.some((one) => one.name === name))
  const which = lacking.map(({ name }) => name).join(', ')
  throw new CommandFault(
    stages.length === 0
      ? `${shown}: has no stages, so there is nothing to deploy.`
      : `${shown}: account and region are missing in ${which}; the workflow names them.`,
    { remedy: 'Write both into each stage, and run this again.' },
  )
}

function readFileOrFault(place: Pick<Shell, 'cwd' | 'env'>): Config {
  try {
    return readStagesFile(place)
  } catch (cause) {
    throw new CommandFault(cause instanceof Error ? cause.message : String(cause))
  }
}

function formatPipeline(
  path: string,
  workflow: string,
  names: readonly string[],
): readonly string[] {
  return [
    `${workflow} deploys ${names.join(', then ')}.`,
    'Commit it at the root of a clone or fork of this repository, which it deploys.',
    `Each stage in ${path} needs githubRepository, and its roles once:`,
    ...names.map((name) => `  npx cdk deploy -c stage=${name} Skillgate-${name}-Pipeline`),
    'docs/pipeline.md says what GitHub needs.',
  ]
}

/** Returns account and region of the credentials; notes what is missing. */
async function findPlace(shell: Shell): Promise<Place> {
  try {
    const aws = await openAwsAccount(shell.env)
    const { region } = aws
    const account = await readCallerAccount(aws)
    return account === undefined ? { region } : { account, region }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    printNote(shell, `The stages have no account and region yet: ${why}.`)
    return {}
  }
}

function formatConfig(path: string, place: Place): string {
  const near = relative(dirname(path), SCHEMA)
  const schema = near.startsWith('.') ? near : `./${near}`
  return `${JSON.stringify(
    {
      ...(existsSync(SCHEMA) ? { $schema: schema } : {}),
      stages: Object.fromEntries(BUILT_IN_STAGES.map((name) => [name, place])),
    },
    null,
    2,
  )}\n`
}

/** Fails if another process has written the file meanwhile. */
function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
      throw toExistsFault(path)
    }
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFault(`${path} cannot be written: ${why}.`, {
      remedy: `Make the folder, or name another file with ${CONFIG_VARIABLE}.`,
    })
  }
}

function toExistsFault(path: string): CommandFault {
  return new CommandFault(`${path} is there already.`, {
    remedy: `Edit it, or name another file with ${CONFIG_VARIABLE}.`,
  })
}

function formatNext(path: string, { account, region }: Place, { cwd }: Shell): readonly string[] {
  const variable = path === join(cwd, CONFIG_FILE) ? '' : `${CONFIG_VARIABLE}=${path} `
  const where =
    account === undefined
      ? 'Give each its account and region.'
      : `Both are for account ${account} in ${region}; change prod if it has an account of its own.`
  return [
    `${path} has the stages ${BUILT_IN_STAGES.join(' and ')}.`,
    where,
    'Deploy the first one from a clone:',
    `  ${variable}npx skillgate deploy --stage dev`,
  ]
}

export const INIT_COMMAND: Command = {
  name: 'init',
  summary: 'Write skillgate.config.json, which has the settings of stages',
  details:
    'Writes the stages dev and prod into the working folder, or the file that SKILLGATE_CONFIG names, for account and region of your AWS credentials if there are any. Never replaces a file. docs/settings.md lists the fields that a stage may have. With --pipeline it also writes .github/workflows/skillgate.yml, which deploys the stages of the file in its order; each needs its account and region.',
  arguments: [],
  options: [
    {
      flag: 'pipeline',
      value: 'HOST',
      help: 'write a workflow that deploys the stages, too',
      choices: ['github'],
    },
  ],
  examples: [
    { says: 'Write the file into the working folder', line: 'skillgate init' },
    {
      says: 'Write a workflow for the stages of the file',
      line: 'skillgate init --pipeline github',
      untested: 'needs a file whose stages have accounts',
    },
  ],
  prints: 'the path, the account and the next command; with --json an object of them',
  data: 'document',
  run: init,
}
