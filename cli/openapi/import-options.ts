/**
 * Reads the options of `import openapi` as the request of the import routes, without the document.
 */
import { resolve } from 'node:path'
import { SELECTED_MAX } from '../../core/openapi/limits.ts'
import type { Selection, SelectionRule } from '../../core/openapi/selection.ts'
import { getOption, getOptions, type Invocation, isOn, type Option } from '../command/command.ts'
import { fromUniquePairs, readNumber } from '../commands/rows.ts'
import { isExactObject } from '../gateway/exact-json.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import { readText } from '../terminal/read-text.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The options that select operations, with the list of a rule that each option fills. */
const LISTS = {
  tag: 'tags',
  path: 'paths',
  method: 'methods',
  operation: 'operationIds',
} as const satisfies { readonly [flag: string]: keyof SelectionRule }

/** The options that narrow the operations of a document. */
const SELECT_OPTIONS: readonly Option[] = [
  { flag: 'tag', value: 'TAG', help: 'operations with this tag', many: true },
  { flag: 'path', value: 'GLOB', help: 'operations of these paths, as /pets/**', many: true },
  {
    flag: 'method',
    value: 'METHOD',
    help: 'operations of this method',
    many: true,
    choices: METHODS,
  },
  {
    flag: 'operation',
    value: 'GLOB',
    help: "operations with such an id, as list*, or 'GET /pets'",
    many: true,
  },
  { flag: 'exclude-tag', value: 'TAG', help: 'leave out operations with this tag', many: true },
  { flag: 'exclude-path', value: 'GLOB', help: 'leave out operations of these paths', many: true },
  {
    flag: 'exclude-operation',
    value: 'GLOB',
    help: 'leave out operations with such an id',
    many: true,
  },
  {
    flag: 'selection',
    value: 'FILE',
    help: 'a selection as JSON, instead of the options above',
    completes: 'files',
  },
]

/** The options that say how a document is read. */
const READ_OPTIONS: readonly Option[] = [
  {
    flag: 'overlay',
    value: 'FILE',
    help: 'an Overlay document to apply to it',
    completes: 'files',
  },
  {
    flag: 'base-url',
    value: 'URL',
    help: 'the server to use: one of the document, where a relative one begins, or another one',
  },
  {
    flag: 'variable',
    value: 'NAME=VALUE',
    help: "a variable of the document's servers",
    many: true,
  },
]

export const LIST_OPTIONS: readonly Option[] = [...SELECT_OPTIONS, ...READ_OPTIONS]

export const IMPORT_OPTIONS: readonly Option[] = [
  { flag: 'prefix', value: 'NAME', help: 'names the import: its tools are sg_NAME_…' },
  { flag: 'credits', value: 'N', help: 'price of a call where the document says none' },
  ...SELECT_OPTIONS,
  { flag: 'all', help: `take all operations, also if they are more than ${SELECTED_MAX}` },
  { flag: 'deprecated', help: 'include deprecated operations' },
  {
    flag: 'name',
    value: 'OPERATION=TOOL',
    help: 'name of the tool of an operation; later imports keep it',
    many: true,
  },
  {
    flag: 'source',
    value: 'TIER',
    help: 'tier of the skills (official)',
    choices: ['official', 'market'],
  },
  { flag: 'timeout-ms', value: 'MS', help: 'time limit of a call where the document says none' },
  ...READ_OPTIONS,
  { flag: 'no-output-schemas', help: 'leave out the schemas of results' },
  { flag: 'delete-disabled', help: 'delete skills that an earlier import disabled' },
]

/** Returns the fields of the request; undefined fields are not sent. */
export function readImportRequest(call: Invocation) {
  const prefix = getOption(call, 'prefix')
  if (prefix === undefined) {
    throw toUsageFault('--prefix is missing.', 'Write --prefix petstore: it names the import.')
  }
  return {
    prefix,
    source: getOption(call, 'source'),
    selection: readSelection(call),
    defaults: {
      credits: readOptionalNumber(call, 'credits'),
      timeoutMs: readOptionalNumber(call, 'timeout-ms'),
    },
    ...readServerOptions(call),
    names: readNames(getOptions(call, 'name')),
    ...(isOn(call, 'no-output-schemas') ? { outputSchemas: false } : {}),
    ...(isOn(call, 'delete-disabled') ? { deleteDisabled: true } : {}),
    ...(isOn(call, 'allow-breaking') ? { allowBreaking: true } : {}),
  }
}

/** Returns how servers are chosen; undefined fields are not sent. */
export function readServerOptions(call: Invocation) {
  return {
    baseUrl: getOption(call, 'base-url'),
    serverVariables: readVariables(getOptions(call, 'variable')),
  }
}

/** Tells whether the person says which operations are meant. */
export function hasSelection(call: Invocation): boolean {
  return ['all', 'selection', ...SELECT_OPTIONS.map(({ flag }) => flag)].some((flag) =>
    isOn(call, flag),
  )
}

/**
 * Reads the selection. An operation must match all lists of the one include rule; each exclusion is
 * a rule of its own.
 */
export function readSelection(call: Invocation): Selection {
  const flags = Object.keys(LISTS) as (keyof typeof LISTS)[]
  const lists = flags.filter((flag) => getOptions(call, flag).length > 0)
  const excluded = flags.filter((flag) => getOptions(call, `exclude-${flag}`).length > 0)
  const include = Object.fromEntries(lists.map((flag) => [LISTS[flag], getOptions(call, flag)]))
  const exclude = excluded.map((flag) => ({ [LISTS[flag]]: getOptions(call, `exclude-${flag}`) }))
  const file = getOption(call, 'selection')
  if (file !== undefined && lists.length + excluded.length > 0) {
    throw toUsageFault(
      '--selection cannot be combined with other rules of selection.',
      'Give one of them.',
    )
  }
  return {
    ...(file === undefined ? {} : readSelectionFile(call, file)),
    ...(lists.length === 0 ? {} : { include: [include] }),
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(isOn(call, 'all') ? { all: true } : {}),
    ...(isOn(call, 'deprecated') ? { deprecated: true } : {}),
  }
}

/**
 * Reads a selection from a file. The gateway checks its members; this function only checks that the
 * rules are lists of lists.
 */
function readSelectionFile({ shell }: Invocation, file: string): Selection {
  const value = readJson(readText(resolve(shell.cwd, file)), file)
  const isSelection =
    isExactObject(value) && areRules(value['include']) && areRules(value['exclude'])
  if (isSelection) return value
  throw toUsageFault(
    `--selection: ${file} is not a selection.`,
    'Write {"include":[{"tags":["pets"]}],"exclude":[{"paths":["/admin/**"]}]}.',
  )
}

function areRules(value: unknown): boolean {
  if (value === undefined) return true
  return (
    Array.isArray(value) &&
    value.every(
      (rule) =>
        isExactObject(rule) &&
        Object.values(rule).every(
          (list) => Array.isArray(list) && list.every((one) => typeof one === 'string'),
        ),
    )
  )
}

/** The operation may have an equals sign, and the name has none. */
function readNames(words: readonly string[]) {
  if (words.length === 0) return undefined
  return fromUniquePairs(
    words.map((word): [string, string] => {
      const at = word.lastIndexOf('=')
      if (at > 0 && at < word.length - 1) return [word.slice(0, at), word.slice(at + 1)]
      throw toUsageFault(
        `--name: ${word} is not OPERATION=TOOL.`,
        "Write --name listPets=pets or --name 'GET /pets=pets'.",
      )
    }),
  )
}

function readVariables(words: readonly string[]) {
  if (words.length === 0) return undefined
  return fromUniquePairs(
    words.map((word): [string, string] => {
      const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? []
      if (name !== undefined) return [name, value]
      throw toUsageFault(`--variable: ${word} is not NAME=VALUE.`, 'Write --variable region=eu.')
    }),
  )
}

function readOptionalNumber(call: Invocation, flag: string): number | undefined {
  const text = getOption(call, flag)
  return text === undefined ? undefined : readNumber(text, `--${flag}`)
}
