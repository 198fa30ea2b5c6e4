/**
 * The command `init`: writes skillgate.config.json with the stages dev and prod. Asks nothing:
 * account and region are those of the AWS credentials, if there are any. Never replaces a file.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { CONFIG_VARIABLE, findConfigPath } from '../../adapters/stages/config-file.ts'
import { BUILT_IN_STAGES, CONFIG_FILE } from '../../core/settings/stage-records.ts'
import { openAwsAccount } from '../aws/ask-service.ts'
import { readCallerAccount } from '../aws/caller-account.ts'
import type { Command, Invocation } from '../command/command.ts'
import { isOn } from '../command/command.ts'
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
  if (existsSync(path)) throw toExistsFault(path)
  const place = await findPlace(shell)
  writeNewFile(path, formatConfig(path, place))
  if (isOn(call, 'json')) printLine(call, { path, ...place })
  else shell.out.write(`${formatNext(path, place, shell).join('\n')}\n`)
  return EXIT.ok
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
    'Writes the stages dev and prod into the working folder, or the file that SKILLGATE_CONFIG names, for account and region of your AWS credentials if there are any. Never replaces a file. docs/settings.md lists the fields that a stage may have.',
  arguments: [],
  options: [],
  examples: [{ says: 'Write the file into the working folder', line: 'skillgate init' }],
  prints: 'the path, the account and the next command; with --json an object of them',
  run: init,
}
