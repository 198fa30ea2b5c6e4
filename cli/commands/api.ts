/**
 * The command `api METHOD PATH`: sends a request to any route of the admin API, with the
 * credentials of the profile.
 */
import { resolve } from 'node:path'
import {
  type Command,
  getArgument,
  getOption,
  getOptions,
  type Invocation,
  isOn,
} from '../command/command.ts'
import { printJson, printLine } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
  toRefusalFault,
} from '../gateway/admin-client.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { readText } from '../terminal/read-text.ts'
import { readJsonWord, readLoose, readWords, WORD_HELP } from '../tools/read-words.ts'
import { fromUniquePairs } from './rows.ts'

async function api(call: Invocation): Promise<ExitCode> {
  const method = getArgument(call, 'METHOD').toUpperCase()
  if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(method)) {
    throw toUsageFault(
      `${method} is not a method of the API.`,
      'Write GET, POST, PUT, PATCH or DELETE.',
    )
  }
  const { path, query } = readPath(getArgument(call, 'PATH'))
  const fields = await readFields(call)
  const body = await readBody(call)
  if (body !== undefined && fields !== undefined) {
    throw toUsageFault('--field and --input both give a body.', 'Give one of them.')
  }
  const admin = await openAdminClient(call)
  const request =
    method === 'GET'
      ? {
          method,
          path,
          query: fromUniquePairs([...Object.entries(query), ...Object.entries(toTexts(fields))]),
        }
      : {
          method,
          path,
          query,
          ...((body ?? fields) === undefined ? {} : { body: body ?? fields ?? {} }),
        }
  if (isOn(call, 'paginate')) return printPages(call, admin, request)
  const answer = await admin.exchange(request)
  if (answer.body !== undefined) printJson(call, answer.body)
  if (answer.status < 400) return EXIT.ok
  throw toRefusalFault(answer)
}

/** Follows all pages and prints one line of JSON for each element. */
async function printPages(
  call: Invocation,
  admin: AdminClient,
  request: {
    readonly method: string
    readonly path: string
    readonly query: { readonly [name: string]: string }
  },
): Promise<ExitCode> {
  if (request.method !== 'GET') throw toUsageFault('--paginate is for GET.', 'Leave it out.')
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? request.query : { ...request.query, cursor }
    const page = await admin.send({ ...request, query })
    for (const row of findElements(page)) printLine(call, row)
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
  } while (cursor !== undefined)
  return EXIT.ok
}

function findElements(page: Fields): readonly unknown[] {
  const list = Object.values(page).find(Array.isArray)
  return list ?? [page]
}

/**
 * Reads the path and its query. `users/ada`, `/users/ada` and `/v1/admin/users/ada` name the same
 * route.
 */
function readPath(typed: string): { path: string; query: { [name: string]: string } } {
  const url = new URL(`http://gateway/${typed.replace(/^\/?(v1\/admin\/)?/, '')}`)
  return { path: url.pathname, query: fromUniquePairs([...url.searchParams]) }
}

/**
 * Reads the options --field: `amount=10` is a number, `tier=pro` a text, `tags=["a"]` JSON. A file
 * is a text unless `:=` says JSON.
 */
async function readFields(call: Invocation): Promise<Fields | undefined> {
  const fields = getOptions(call, 'field')
  if (fields.length === 0) return undefined
  const remedy = 'Write --field tier=pro.'
  const words = await readWords(call, fields, remedy)
  return fromUniquePairs(
    words.map((word) => {
      const { isFile, isJson, name, text } = word
      if (isJson) return [name, readJsonWord(word, remedy)]
      return [name, isFile ? text : readLoose(name, text)]
    }),
  )
}

function toTexts(fields: Fields | undefined): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(toFields(fields)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

async function readBody(call: Invocation): Promise<string | undefined> {
  const file = getOption(call, 'input')
  if (file === undefined) return undefined
  return file === '-' ? call.shell.input.readAll() : readText(resolve(call.shell.cwd, file))
}

export const API_COMMAND: Command = {
  name: 'api',
  summary: 'Send any request to the admin API',
  arguments: [
    { name: 'METHOD', help: 'GET, POST, PUT, PATCH or DELETE' },
    { name: 'PATH', help: 'the route below /v1/admin, with its query' },
  ],
  options: [
    {
      flag: 'field',
      short: 'f',
      value: 'NAME=VALUE',
      help: `a field of the body, or of the query of a GET: ${WORD_HELP}`,
      many: true,
    },
    { flag: 'input', value: 'FILE', help: 'the body; - is stdin', completes: 'files' },
    { flag: 'paginate', help: 'follow nextCursor; one line of JSON for each element' },
  ],
  examples: [
    { says: 'Show a user', line: 'skillgate api GET users/ada' },
    {
      says: 'Grant credits',
      line: 'skillgate api POST users/ada/credits -f grantId=december -f amount=5',
    },
    {
      says: 'List all official skills',
      line: 'skillgate api GET skills?source=official --paginate',
    },
    {
      says: 'Send a body from stdin',
      line: 'skillgate api PATCH users/ada --input -',
      stdin: '{"tier":"free"}',
    },
  ],
  prints: 'the answer as JSON',
  data: 'document',
  run: api,
}
