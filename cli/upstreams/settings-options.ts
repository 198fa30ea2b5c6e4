/**
 * Reads the settings of an upstream from a file, from options, and from what is stored. An option
 * replaces one field; the gateway checks the whole.
 */
import { resolve } from 'node:path'
import { getOption, getOptions, type Invocation, type Option } from '../command/command.ts'
import { fromUniquePairs, readNumber } from '../commands/rows.ts'
import type { Fields } from '../gateway/admin-client.ts'
import { isExactObject } from '../gateway/exact-json.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import { readText } from '../terminal/read-text.ts'

export const SETTINGS_OPTIONS: readonly Option[] = [
  { flag: 'url', value: 'URL', help: 'address of the MCP server' },
  { flag: 'prefix', value: 'NAME', help: 'its tools are sg_NAME_… (the id)' },
  { flag: 'bearer', value: 'SECRET', help: 'name of the secret that is sent as a bearer token' },
  {
    flag: 'include',
    value: 'GLOB',
    help: "tools that are taken, by the server's names (all)",
    many: true,
  },
  { flag: 'exclude', value: 'GLOB', help: 'tools that are left out all the same', many: true },
  { flag: 'credits', value: 'N', help: 'price of a call (0)' },
  { flag: 'price', value: 'TOOL=N', help: 'price of one tool', many: true },
  { flag: 'group', value: 'NAME', help: 'only users of these groups see its tools', many: true },
  {
    flag: 'pins',
    value: 'POLICY',
    help: 'what happens to changed tools (review)',
    choices: ['trust', 'review', 'block'],
  },
  { flag: 'refresh', value: 'MINUTES', help: 'time between refreshes (60); 0: by hand alone' },
  {
    flag: 'resources',
    value: 'ANSWER',
    help: 'whether agents read its resources and prompts (no)',
    choices: ['yes', 'no'],
  },
  {
    flag: 'source',
    value: 'TIER',
    help: 'tier of its skills (official)',
    choices: ['official', 'market'],
  },
  {
    flag: 'file',
    value: 'FILE',
    help: 'all settings as JSON, in place of those that are stored',
    completes: 'files',
  },
]

/** Returns the fields that the options give. */
export function readSettings(call: Invocation): Fields {
  const { file, ...given } = {
    file: getOption(call, 'file'),
    url: getOption(call, 'url'),
    prefix: getOption(call, 'prefix'),
    source: getOption(call, 'source'),
    pins: getOption(call, 'pins'),
    credits: readOptionalNumber(call, 'credits'),
    refresh_minutes: readOptionalNumber(call, 'refresh'),
    include: readList(call, 'include'),
    exclude: readList(call, 'exclude'),
    groups: readList(call, 'group'),
    prices: readPrices(call),
    auth: readBearer(call),
    resources: readAnswer(call),
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...(file === undefined ? {} : readSettingsFile(call, file)), ...Object.fromEntries(set) }
}

/** `--file` has all settings, so that what is stored does not count. */
export function isWhole(call: Invocation): boolean {
  return getOption(call, 'file') !== undefined
}

function readSettingsFile({ shell }: Invocation, file: string): Fields {
  const value = readJson(readText(resolve(shell.cwd, file)), file)
  if (isExactObject(value)) return value
  throw toUsageFault(
    `--file: ${file} is not an object in JSON.`,
    'Write {"url": "https://mcp.example.com/mcp", "prefix": "files"}.',
  )
}

function readOptionalNumber(call: Invocation, flag: string): number | undefined {
  const text = getOption(call, flag)
  return text === undefined ? undefined : readNumber(text, `--${flag}`)
}

function readList(call: Invocation, flag: string): readonly string[] | undefined {
  const list = getOptions(call, flag)
  return list.length === 0 ? undefined : list
}

function readPrices(call: Invocation): Fields | undefined {
  const words = getOptions(call, 'price')
  if (words.length === 0) return undefined
  return fromUniquePairs(
    words.map((word): [string, number] => {
      const at = word.lastIndexOf('=')
      if (at > 0) return [word.slice(0, at), readNumber(word.slice(at + 1), '--price')]
      throw toUsageFault(`--price: ${word} is not TOOL=N.`, 'Write --price write_file=1.')
    }),
  )
}

function readBearer(call: Invocation): Fields | undefined {
  const secret = getOption(call, 'bearer')
  return secret === undefined ? undefined : { type: 'bearer', secret }
}

function readAnswer(call: Invocation): boolean | undefined {
  const answer = getOption(call, 'resources')
  return answer === undefined ? undefined : answer === 'yes'
}
