/** The commands `tools` and `call`: what an agent with the profile's user key sees and does. */
import { resolve } from 'node:path'
import { NEEDS_KEY } from '../../core/call/failure-messages.ts'
import { writeSignature } from '../../core/openapi/signature.ts'
import { findNearest } from '../../core/settings/nearest.ts'
import { type Command, getArgument, getOption, type Invocation, isOn } from '../command/command.ts'
import { printJson } from '../command/print.ts'
import { type Fields, toAdminClient, toFields, toRows } from '../gateway/admin-client.ts'
import { isExactObject } from '../gateway/exact-json.ts'
import { findKeyPlace, issueUserKey, keepUserKey } from '../gateway/keep-user-key.ts'
import {
  KEY_REMEDY,
  type McpClient,
  openMcpClient,
  type Tool,
  toKeylessFault,
  toMcpClient,
} from '../gateway/mcp-client.ts'
import { findTarget, type Target } from '../gateway/target.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { endProgress, showProgress } from '../terminal/progress.ts'
import { readJson } from '../terminal/read-json.ts'
import { readText } from '../terminal/read-text.ts'
import { printNote } from '../terminal/shell.ts'
import { toOneLine, toShownText } from '../terminal/table.ts'
import { answerRequests } from '../tools/elicitation.ts'
import { readArguments } from '../tools/read-arguments.ts'
import { WORD_HELP } from '../tools/read-words.ts'

/** Most rounds of questions in one call; each round is a call of the upstream. */
const ROUNDS_MAX = 10

async function list(call: Invocation): Promise<ExitCode> {
  const client = await openMcpClient(call)
  const tools = await client.tools()
  if (client.target.key === undefined) {
    printNote(call.shell, `These are the public tools, since there is no user key. ${KEY_REMEDY}`)
  }
  if (isOn(call, 'json')) printJson(call, tools)
  else for (const tool of tools) call.shell.out.write(formatTool(call, tool))
  return EXIT.ok
}

function formatTool({ shell }: Invocation, tool: Tool): string {
  const { columns } = shell.out
  const says = toShownText(tool.description ?? tool.title, shell.out)
  const line =
    columns === undefined || says.length + 2 <= columns ? says : `${says.slice(0, columns - 3)}…`
  return `${toOneLine(writeSignature(tool.name, tool.inputSchema))}\n${line === '' ? '' : `  ${line}\n`}`
}

async function run(call: Invocation): Promise<ExitCode> {
  const client = await toMcpClient(call, await findOrMakeKey(call))
  const name = getArgument(call, 'TOOL')
  // The list is read first, because its schemas say the type of each argument.
  const tools = await client.tools()
  const tool = tools.find((one) => one.name === name) ?? { name, inputSchema: {} }
  const words = call.words['ARGUMENT'] ?? []
  const args = { ...(await readInput(call)), ...(await readArguments(call, words, tool)) }
  // A tool that is not listed may still be called; the gateway's refusal of a disabled tool says
  // why.
  const result = await callTool(call, { client, tool, args }).catch((cause: unknown) => {
    throw isUnknownTool(cause) ? toUnknownToolFault(name, tools) : cause
  })
  if (client.target.key === undefined && asksForKey(result)) throw toKeylessFault()
  if (isOn(call, 'json')) printJson(call, result)
  else for (const block of listBlocks(result)) call.shell.out.write(formatBlock(block))
  return result['isError'] === true ? EXIT.failed : EXIT.ok
}

/**
 * Returns the target, with a new user key if the profile has none and the person at the terminal
 * names a user. Nothing is asked where the credential of an administrator is missing, too.
 */
async function findOrMakeKey(call: Invocation): Promise<Target> {
  const target = await findTarget(call)
  const { adminKey, key, login, profile } = target
  const { input } = call.shell
  if (key !== undefined || (adminKey ?? login) === undefined || !input.isTTY) return target
  const asked = `The profile ${profile} has no user key. Issue and keep one for the user (UID, empty for none): `
  const uid = (await input.ask(asked)).trim()
  if (uid === '') return target
  const place = findKeyPlace(call)
  const issued = await issueUserKey(toAdminClient(call, target), uid)
  const made = String(issued['key'])
  await keepUserKey(call, place, made)
  return { ...target, key: made }
}

async function callTool(
  call: Invocation,
  { args, client, tool }: { args: Fields; client: McpClient; tool: Tool },
): Promise<Fields> {
  const { shell } = call
  const onProgress = shell.err.isTTY ? (message: string) => showProgress(shell, message) : undefined
  let round: Fields = {}
  for (let count = 0; count < ROUNDS_MAX; count += 1) {
    const params = { name: tool.name, arguments: args, ...round }
    const more = { schema: tool.inputSchema, ...(onProgress === undefined ? {} : { onProgress }) }
    const result = await client.request('tools/call', params, more)
    endProgress(shell)
    if (result['resultType'] !== 'input_required') return result
    const { inputRequests, requestState } = result
    round = { inputResponses: await answerRequests(shell, toFields(inputRequests)), requestState }
  }
  throw new CommandFault(`The tool still asks after ${ROUNDS_MAX} rounds.`)
}

/** The gateway answers a call without a key with words for a model. */
function asksForKey(result: Fields): boolean {
  const [first] = listBlocks(result)
  return result['isError'] === true && String(first?.['text']).startsWith(NEEDS_KEY)
}

/** Recognises the refusal by its words, which are those of MCP 2026-07-28, server/tools. */
function isUnknownTool(cause: unknown): boolean {
  return cause instanceof CommandFault && cause.message.startsWith('Unknown tool: ')
}

function toUnknownToolFault(name: string, tools: readonly Tool[]): CommandFault {
  const suggestion = findNearest(
    name,
    tools.map((one) => one.name),
  )
  return new CommandFault(`There is no tool ${name}.`, {
    remedy:
      suggestion === undefined
        ? 'See skillgate tools.'
        : `Did you mean ${suggestion}? See skillgate tools.`,
  })
}

async function readInput(call: Invocation): Promise<Fields> {
  const file = getOption(call, 'input')
  if (file === undefined) return {}
  const text =
    file === '-' ? await call.shell.input.readAll() : readText(resolve(call.shell.cwd, file))
  const value = readJson(text, '--input')
  if (isExactObject(value)) return value
  throw toUsageFault('--input: is not a JSON object.', 'Write {"name":"value"}.')
}

function listBlocks({ content }: Fields): readonly Fields[] {
  return toRows(content)
}

function formatBlock({ data, mimeType, text, type, uri }: Fields): string {
  if (typeof text === 'string') return `${text}\n`
  if (typeof uri === 'string') return `${toOneLine(uri)}\n`
  const bytes = typeof data === 'string' ? Buffer.byteLength(data, 'base64') : 0
  return `[${toOneLine(String(type))} ${toOneLine(String(mimeType ?? ''))}, ${bytes} bytes; --json has it]\n`
}

export const TOOL_COMMANDS: readonly Command[] = [
  {
    name: 'tools',
    summary: "List the tools that the profile's user key sees",
    arguments: [],
    options: [],
    examples: [{ says: 'List tools as signatures', line: 'skillgate tools' }],
    prints: 'a signature and a description for each tool; with --json as MCP lists them',
    data: 'document',
    run: list,
  },
  {
    name: 'call',
    summary: 'Call a tool as an agent does',
    details:
      "Values become what the tool's schema says: name=2 is a number where it wants one. Of a tool that is not listed they stay texts. A tool that asks a question is answered on the terminal. The call costs the user's credits.",
    arguments: [
      { name: 'TOOL', help: 'the tool', completes: 'tools' },
      { name: 'ARGUMENT', help: WORD_HELP, optional: true, many: true },
    ],
    options: [
      {
        flag: 'input',
        value: 'FILE',
        help: 'all arguments as a JSON object; - is stdin',
        completes: 'files',
      },
    ],
    examples: [
      { says: 'Call a tool', line: 'skillgate call sg_weather city=Oslo' },
      {
        says: 'Take the arguments from stdin',
        line: 'skillgate call sg_echo --input -',
        stdin: '{"text":"hello"}',
      },
    ],
    prints:
      'the text of the result; with --json the whole result. A result with isError exits with 1',
    data: 'document',
    run,
  },
]
