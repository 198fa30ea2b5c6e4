/**
 * What an import refuses, in the words of the command line. The admin API names its own fields; each
 * of them has an option here. A test walks all refusals of an import through this table.
 */
import type { LeftOutCode } from '../../core/openapi/left-out.ts'
import { type AdminAnswer, toFields, toRefusalFault, toRows } from '../gateway/admin-client.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'

type Words = {
  /** The field of the request, as the pointer of an error begins. */
  readonly pointer: string
  /** What a person wrote; `{}` is the rest of the pointer. */
  readonly subject: string
  readonly remedy?: string
}

export const FIELDS: readonly Words[] = [
  {
    pointer: '/selection/all',
    subject: 'The selection',
    remedy:
      'Select with --tag or --operation, or take all with --all. skillgate import openapi ls lists the operations.',
  },
  {
    pointer: '/selection',
    subject: 'The selection: {}',
    remedy: 'Correct --tag, --path, --method, --operation or the file of --selection.',
  },
  { pointer: '/serverVariables', subject: '--variable {}', remedy: 'Correct --variable.' },
  {
    pointer: '/baseUrl',
    subject: '--base-url',
    remedy: 'Write --base-url https://api.example.com/v1.',
  },
  { pointer: '/defaults/credits', subject: '--credits', remedy: 'Write --credits 0.5.' },
  { pointer: '/defaults/timeoutMs', subject: '--timeout-ms', remedy: 'Write --timeout-ms 5000.' },
  {
    pointer: '/names',
    subject: '--name {}',
    remedy: 'skillgate import openapi ls lists the operations.',
  },
  { pointer: '/prefix', subject: '--prefix', remedy: 'Write --prefix petstore.' },
  { pointer: '/source', subject: '--source' },
  { pointer: '/outputSchemas', subject: '--no-output-schemas' },
  { pointer: '/deleteDisabled', subject: '--delete-disabled' },
  {
    pointer: '/allowBreaking',
    subject: '',
    remedy: '--allow-breaking applies it all the same.',
  },
  { pointer: '/overlay', subject: 'The overlay' },
  {
    pointer: '/document',
    subject: 'The document',
    remedy: 'Select fewer operations, or correct the document.',
  },
]

/** Turns a refusal of the import routes into a fault with a line for each error. */
export function toImportFault(answer: AdminAnswer): CommandFault {
  const { detail, errors } = toFields(answer.body)
  const known = toRows(errors).flatMap((error) => {
    const words = FIELDS.find(({ pointer }) => String(error['pointer']).startsWith(pointer))
    return words === undefined ? [] : [{ words, line: writeLine(words, error) }]
  })
  const [first] = known
  if (answer.status === 401 || answer.status === 403) return toRefusalFault(answer)
  if (first === undefined) return toPlainFault(answer, String(detail ?? ''))
  const { remedy } = first.words
  if (first.words.pointer === '/allowBreaking') {
    const message = 'The document breaks tools that agents use. Nothing was changed.'
    return new CommandFault(message, { details: known.map(({ line }) => line), remedy })
  }
  if (known.length === 1) return new CommandFault(first.line, { remedy })
  const details = known.map(({ line }) => line)
  return new CommandFault('The import is refused.', { details, remedy })
}

function writeLine({ pointer, subject }: Words, { message, pointer: at }: ErrorFields): string {
  const rest = String(at).slice(pointer.length + 1)
  const name = rest.replaceAll('~1', '/').replaceAll('~0', '~')
  const text = `${subject.replace('{}', name)} ${message}`.trim()
  return /[.!?]$/.test(text) ? text : `${text}.`
}

type ErrorFields = { readonly [name: string]: unknown }

/** A refusal without errors is about the request as a whole, such as too many at once. */
function toPlainFault(answer: AdminAnswer, detail: string): CommandFault {
  const fault = toRefusalFault(answer)
  const text = detail.replace(/^(?:body|document): /, 'The import ')
  if (text === detail) return fault
  return new CommandFault(text.replace('Send it again', 'Run the command again'), {
    exitCode: EXIT.failed,
  })
}

type LeftOutWords = {
  /** What is so with one operation, and with several. */
  readonly one: string
  readonly many: string
  readonly remedy?: string
}

export const LEFT_OUT_WORDS: { readonly [code in LeftOutCode]: LeftOutWords } = {
  deprecated: {
    one: 'is deprecated',
    many: 'are deprecated',
    remedy: '--deprecated takes deprecated operations',
  },
  internal: { one: 'is marked x-internal', many: 'are marked x-internal' },
  skipped: {
    one: 'has skip in its x-skillgate settings',
    many: 'have skip in their x-skillgate settings',
  },
  no_server: {
    one: 'has no server with a host',
    many: 'have no server with a host',
    remedy: '--base-url https://api.example.com names it',
  },
  server_variable: {
    one: 'has a server with a variable without a value',
    many: 'have a server with a variable without a value',
    remedy: '--variable NAME=VALUE sets it',
  },
  http_server: {
    one: 'has a server of http',
    many: 'have a server of http',
    remedy: '--base-url with https:// takes its place',
  },
  no_price: {
    one: 'has no price',
    many: 'have no price',
    remedy: '--credits 0.5 sets it',
  },
  id_taken: {
    one: 'has the name of another skill',
    many: 'have the names of other skills',
    remedy: '--name OPERATION=tool or another --prefix avoids it',
  },
  unsupported: { one: 'cannot be a tool', many: 'cannot be tools' },
}

/** Returns the option that helps; `secureUrl` is the document's server with https. */
export function findRemedy(code: LeftOutCode, secureUrl: string | undefined): string | undefined {
  return code === 'http_server' && secureUrl !== undefined
    ? `--base-url ${secureUrl} takes its place`
    : LEFT_OUT_WORDS[code].remedy
}

/** `12 operations are deprecated (--deprecated takes deprecated operations)`. */
export function countLeftOut(
  code: LeftOutCode,
  count: number,
  secureUrl: string | undefined,
): string {
  const { many, one } = LEFT_OUT_WORDS[code]
  const remedy = findRemedy(code, secureUrl)
  const said = count === 1 ? `1 operation ${one}` : `${count} operations ${many}`
  return remedy === undefined ? said : `${said} (${remedy})`
}

/** Narrows a code of the gateway; one of a later gateway has no words of its own. */
export function readLeftOutCode(value: unknown): LeftOutCode {
  const isKnown = typeof value === 'string' && Object.hasOwn(LEFT_OUT_WORDS, value)
  return isKnown ? (value as LeftOutCode) : 'unsupported'
}
