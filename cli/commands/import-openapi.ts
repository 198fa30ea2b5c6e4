/**
 * The commands `import openapi plan`, `check` and `apply`. Operations are selected here, before the
 * request, so that a document of any size can be used. An interrupted apply is completed by the
 * same command.
 */
import { ok } from '../../core/errors.ts'
import { IMPORT_BODY_BYTES_MAX } from '../../core/openapi/limits.ts'
import { withinBudget } from '../../core/openapi/work-budget.ts'
import type { Command, Invocation } from '../command/command.ts'
import { isOn } from '../command/command.ts'
import { printJson } from '../command/print.ts'
import { type Fields, openAdminClient } from '../gateway/admin-client.ts'
import { completeApply } from '../gateway/complete-apply.ts'
import { IMPORT_OPTIONS, readImportRequest } from '../openapi/import-options.ts'
import { printPlan } from '../openapi/print-plan.ts'
import { readDocument } from '../openapi/read-document.ts'
import { selectPart } from '../openapi/selected-part.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { withProgress } from '../terminal/progress.ts'

type Verb = 'apply' | 'check' | 'plan'

async function requestPlan(call: Invocation, verb: Verb): Promise<Fields> {
  const terms = readImportRequest(call)
  const document = await readDocument(call)
  const selected = withinBudget(() => ok(selectPart(document, terms.selection)))
  if (!selected.ok) throw toUsageFault(selected.error.detail, 'Nothing was sent.')
  const part = selected.value
  const body = JSON.stringify({ ...terms, document: part.document })
  const bytes = Buffer.byteLength(body)
  if (bytes > IMPORT_BODY_BYTES_MAX) {
    throw toUsageFault(
      `The selected operations and what they refer to are ${bytes} bytes; ${IMPORT_BODY_BYTES_MAX} at most.`,
      'Select fewer operations, and import the others under another --prefix.',
    )
  }
  const admin = await openAdminClient(call)
  const selectedCount = part.operations - part.notSelected
  const text = `${verb === 'apply' ? 'Importing' : 'Planning'} ${selectedCount} operations`
  const request = { method: 'POST', path: `/imports/openapi:${verb}`, body } as const
  const work = completeApply(call, admin, { request, name: 'import', isApply: verb === 'apply' })
  const answer = await withProgress(call.shell, text, work)
  return { ...answer, operations: part.operations, notSelected: part.notSelected }
}

function show(call: Invocation, plan: Fields): void {
  if (isOn(call, 'json')) printJson(call, plan)
  else printPlan(call.shell, plan)
}

async function plan(call: Invocation): Promise<ExitCode> {
  show(call, await requestPlan(call, 'plan'))
  return EXIT.ok
}

async function apply(call: Invocation): Promise<ExitCode> {
  show(call, await requestPlan(call, 'apply'))
  return EXIT.ok
}

async function check(call: Invocation): Promise<ExitCode> {
  const found = await requestPlan(call, 'check')
  show(call, found)
  return found['drift'] === true ? EXIT.drift : EXIT.ok
}

const DOCUMENT = {
  name: 'DOCUMENT',
  help: 'a file or URL of Swagger 2.0 or OpenAPI 3, as JSON or YAML; - is stdin',
  completes: 'files',
} as const

const PETS = 'examples/openapi/pets.yaml --prefix pets --credits 0.5'

export const IMPORT_COMMANDS: readonly Command[] = [
  {
    name: 'import openapi plan',
    summary: 'Show what an import of an OpenAPI document would change',
    details:
      'Each list of --tag, --path, --method and --operation has to match; without them all operations are meant. The selection is made here, so the document may have any size.',
    arguments: [DOCUMENT],
    options: IMPORT_OPTIONS,
    examples: [
      { says: 'Plan an import of all operations', line: `skillgate import openapi plan ${PETS}` },
    ],
    prints: 'a line for each skill: + added, ~ changed, - removed, = edited by hand, ! breaking',
    data: 'document',
    run: plan,
  },
  {
    name: 'import openapi apply',
    summary: 'Import an OpenAPI document',
    details:
      'Operations become skills. The same command again changes nothing, completes an interrupted import, and keeps what was edited by hand. Select the same operations each time: what is no longer selected counts as gone.',
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
