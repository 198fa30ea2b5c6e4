/**
 * The commands `import openapi ls`, `plan`, `check` and `apply`. Operations are selected here,
 * before the request, so that a document of any size can be used. An interrupted apply is completed
 * by the same command.
 */
import {
  type Command,
  getArgument,
  type Invocation,
  isOn,
  type Option,
} from '../command/command.ts'
import { printJson, printRows } from '../command/print.ts'
import { type Fields, toFields } from '../gateway/admin-client.ts'
import {
  IMPORT_OPTIONS,
  LIST_OPTIONS,
  readSelection,
  readServerOptions,
} from '../openapi/import-options.ts'
import { countLeftOut, LEFT_OUT_WORDS, readLeftOutCode } from '../openapi/import-words.ts'
import { listDocument, type OperationRow } from '../openapi/list-operations.ts'
import { printAsModel, printPlan } from '../openapi/print-plan.ts'
import { readDocument } from '../openapi/read-document.ts'
import { type RequestedPlan, requestPlan, type Verb } from '../openapi/request-plan.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { type Column, toOneLine } from '../terminal/table.ts'

async function list(call: Invocation): Promise<ExitCode> {
  const document = await readDocument(call)
  const terms = { ...readServerOptions(call), selection: readSelection(call) }
  const listed = await listDocument(document, terms)
  if (!listed.ok) {
    throw new CommandFault(`${getArgument(call, 'DOCUMENT')}: ${listed.error.detail}`)
  }
  const rows = [...listed.value].sort(compareRows)
  printRows(call, rows, COLUMNS)
  if (!isOn(call, 'json')) printTotals(call, rows)
  return EXIT.ok
}

const COLUMNS: readonly Column<OperationRow>[] = [
  { head: 'TAG', of: (row) => formatTags(row), kind: 'text' },
  { head: 'OPERATION', of: ({ operation }) => operation, kind: 'id' },
  { head: 'METHOD PATH', of: ({ method, path }) => `${method} ${path}` },
  { head: 'TOKENS', of: ({ tokens }) => tokens, right: true },
  {
    head: 'STATE',
    of: ({ reason, state }) => (reason === undefined ? state : `${state}: ${reason}`),
    kind: 'text',
  },
  { head: 'SUMMARY', of: ({ summary }) => summary, kind: 'text' },
]

function formatTags({ tags }: OperationRow): string {
  return tags.join(', ')
}

/** Operations without a tag come last. */
function compareRows(a: OperationRow, b: OperationRow): number {
  const isUntagged = Number(a.tags.length === 0) - Number(b.tags.length === 0)
  return isUntagged === 0 ? compareTexts(formatTags(a), formatTags(b)) : isUntagged
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** An operation with several tags counts under each of them. */
function printTotals({ shell }: Invocation, rows: readonly OperationRow[]): void {
  const tags = [...new Set(rows.flatMap((row) => row.tags))].sort(compareTexts)
  for (const tag of tags) {
    const own = rows.filter((row) => row.tags.includes(tag))
    printNote(shell, toOneLine(`${tag}: ${formatTotal(own)}`))
  }
  const untagged = rows.filter((row) => row.tags.length === 0)
  if (tags.length > 0 && untagged.length > 0) {
    printNote(shell, `without a tag: ${formatTotal(untagged)}`)
  }
  printNote(shell, `All: ${formatTotal(rows)}.`)
}

function formatTotal(rows: readonly OperationRow[]): string {
  const tokens = rows.reduce((sum, row) => sum + (row.tokens ?? 0), 0)
  return `${rows.length} ${rows.length === 1 ? 'operation' : 'operations'}, ${tokens} tokens of a list`
}

async function run(call: Invocation, verb: Verb): Promise<Fields> {
  const requested = await requestPlan(call, verb)
  const { plan } = requested
  if (isOn(call, 'json')) printJson(call, plan)
  else if (isOn(call, 'as-model')) printAsModel(call.shell, plan)
  else printPlan(call, requested)
  assertTools(requested)
  return plan
}

/** An import without a tool is a mistake of the command line or of the document. */
function assertTools({ plan, secureUrl }: RequestedPlan): void {
  const { imported, notImported, notSelected, operations } = plan
  if (imported !== 0) return
  const rows: readonly unknown[] = Array.isArray(notImported) ? notImported : []
  const groups = Map.groupBy(rows.map(toFields), ({ code }) => readLeftOutCode(code))
  const reasons = [...groups].map(([code, left]) => countLeftOut(code, left.length, secureUrl))
  if (Number(notSelected) > 0) reasons.push(`${notSelected} are not selected`)
  const why = operations === 0 ? 'the document has no operation' : reasons.join(', ')
  const [first] = groups.keys()
  const remedy = first === undefined ? undefined : LEFT_OUT_WORDS[first].remedy
  throw new CommandFault(`0 tools: ${why}.`, {
    remedy: remedy === undefined ? 'skillgate import openapi ls lists the operations.' : undefined,
  })
}

async function plan(call: Invocation): Promise<ExitCode> {
  await run(call, 'plan')
  return EXIT.ok
}

async function apply(call: Invocation): Promise<ExitCode> {
  await run(call, 'apply')
  return EXIT.ok
}

async function check(call: Invocation): Promise<ExitCode> {
  const found = await run(call, 'check')
  return found['drift'] === true ? EXIT.drift : EXIT.ok
}

const AS_MODEL: Option = {
  flag: 'as-model',
  help: 'print what a model reads of each tool: its arguments, its first sentence, its tokens',
}

const DOCUMENT = {
  name: 'DOCUMENT',
  help: 'a file or URL of Swagger 2.0 or OpenAPI 3, as JSON or YAML; - is stdin',
  completes: 'files',
} as const

const PETS = 'examples/openapi/pets.yaml --prefix pets --credits 0.5'

export const IMPORT_COMMANDS: readonly Command[] = [
  {
    name: 'import openapi ls',
    summary: 'List the operations of an OpenAPI document',
    details:
      'Nothing is sent to a gateway. The tokens are those of the tool in a list, which a model reads with each task.',
    arguments: [DOCUMENT],
    options: LIST_OPTIONS,
    examples: [
      {
        says: 'Find what to import',
        line: 'skillgate import openapi ls examples/openapi/pets.yaml',
      },
    ],
    prints:
      'a row for each operation, with the tokens of its tool or why it cannot be one; the sums of the tags go to stderr',
    data: 'rows',
    run: list,
  },
  {
    name: 'import openapi plan',
    summary: 'Show what an import of an OpenAPI document would change',
    details:
      'Each list of --tag, --path, --method and --operation has to match. Without them, a terminal offers the operations to choose from; a script gets all, up to 40. The selection is made here, so the document may have any size. Exits with 1 if nothing becomes a tool.',
    arguments: [DOCUMENT],
    options: [...IMPORT_OPTIONS, AS_MODEL],
    examples: [
      {
        says: 'Plan an import of all operations',
        line: `skillgate import openapi plan ${PETS} --all`,
      },
      {
        says: 'See what a model would read',
        line: `skillgate import openapi plan ${PETS} --all --as-model`,
      },
    ],
    prints:
      'a row for each skill that changes, then what differs word by word, what breaks agents, and what is not imported and why',
    data: 'document',
    run: plan,
  },
  {
    name: 'import openapi apply',
    summary: 'Import an OpenAPI document',
    details:
      'Operations become skills. The same command again changes nothing, completes an interrupted import, and keeps what was edited by hand. Select the same operations each time: the skill of an operation that is no longer selected is disabled.',
    arguments: [DOCUMENT],
    options: [
      ...IMPORT_OPTIONS,
      { flag: 'allow-breaking', help: 'apply changes that break tools which agents use, too' },
    ],
    examples: [
      {
        says: 'Import what reads',
        line: `skillgate import openapi apply ${PETS} --method GET`,
      },
    ],
    prints: 'what was changed, as import openapi plan does',
    data: 'document',
    run: apply,
  },
  {
    name: 'import openapi check',
    summary: 'Tell whether a document drifted from its skills',
    details: 'For pipelines: exits with 2 where an apply would change anything.',
    arguments: [DOCUMENT],
    options: IMPORT_OPTIONS,
    examples: [
      {
        says: 'Check what was imported',
        line: `skillgate import openapi check ${PETS} --method GET`,
      },
    ],
    prints: 'what an apply would change',
    data: 'document',
    run: check,
  },
]
