/**
 * Sends an import to the gateway: the selected part of the document, with the terms of the command.
 * On a terminal, a person chooses operations and a server that the command line leaves open.
 */
import { quote } from 'shell-quote'
import { ok } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { IMPORT_BODY_BYTES_MAX, SELECTED_MAX } from '../../core/openapi/limits.ts'
import { listOperations } from '../../core/openapi/operation.ts'
import { chooseServerUrl } from '../../core/openapi/server-url.ts'
import { withinBudget } from '../../core/openapi/work-budget.ts'
import { getArgument, type Invocation, isOn } from '../command/command.ts'
import { type Fields, openAdminClient } from '../gateway/admin-client.ts'
import { completeApply } from '../gateway/complete-apply.ts'
import { CommandFault, EXIT, toUsageFault } from '../terminal/exit-code.ts'
import { withProgress } from '../terminal/progress.ts'
import { printNote } from '../terminal/shell.ts'
import { checkWords } from './check-words.ts'
import { type ChosenOptions, chooseOperations } from './choose-operations.ts'
import {
  hasSelection,
  readImportRequest,
  readSelection,
  readServerOptions,
} from './import-options.ts'
import { toImportFault } from './import-words.ts'
import { listDocument } from './list-operations.ts'
import { readDocument } from './read-document.ts'
import { selectPart } from './selected-part.ts'

export type Verb = 'apply' | 'check' | 'plan'

export type RequestedPlan = {
  /** The plan of the gateway, with the counts of the whole document. */
  readonly plan: Fields
  /** The server of the document with https; undefined if it has none. */
  readonly secureUrl: string | undefined
}

export async function requestPlan(given: Invocation, verb: Verb): Promise<RequestedPlan> {
  const { names = {} } = readImportRequest(given)
  const document = await readDocument(given)
  checkWords(given, document, Object.keys(names))
  const selected = await withSelection(given, document, verb)
  const call = await withServer(selected, document)
  if (call !== given) printNote(call.shell, `The same without questions: ${formatLine(call)}`)
  return sendPart(call, document, verb)
}

/** Without a selection, a person chooses; a pipe gets all of a short document. */
async function withSelection(
  call: Invocation,
  document: JsonObject,
  verb: Verb,
): Promise<Invocation> {
  if (hasSelection(call) || verb === 'check') return call
  const { operations } = listOperations(document)
  if (operations.length < 2) return call
  const asks = call.shell.input.isTTY && !isOn(call, 'json')
  if (!asks) {
    if (operations.length > SELECTED_MAX) throw toUnselectedFault(call, operations.length)
    return call
  }
  const terms = { ...readServerOptions(call), selection: readSelection(call) }
  const listed = await listDocument(document, terms)
  if (!listed.ok) throw new CommandFault(listed.error.detail)
  const isOffered = listed.value.some(({ state }) => state === 'ok')
  if (!isOffered) return call
  const chosen = await chooseOperations(call, listed.value)
  if (chosen !== undefined) return withOptions(call, chosen)
  throw new CommandFault('Nothing was sent.', { exitCode: EXIT.interrupted })
}

function toUnselectedFault(call: Invocation, count: number): CommandFault {
  const name = getArgument(call, 'DOCUMENT')
  return toUsageFault(
    `The document has ${count} operations, and a model reads the whole list.`,
    `Select with --tag or --operation, or take all with --all. skillgate import openapi ls ${quote([name])} lists them.`,
  )
}

/** A gateway calls https alone. On a terminal the same host is offered with https. */
async function withServer(call: Invocation, document: JsonObject): Promise<Invocation> {
  const { input } = call.shell
  if (isOn(call, 'base-url') || !input.isTTY || isOn(call, 'json')) return call
  const url = findServer(call, document)
  if (url === undefined || !/^http:/i.test(url) || isLoopback(url)) return call
  const secure = url.replace(/^http:/i, 'https:')
  const answer = await input.ask(`The server is ${url}. Use ${secure} instead? [Y/n] `)
  return /^(?:|y|yes)$/i.test(answer.trim()) ? withOptions(call, { 'base-url': [secure] }) : call
}

/** The server of the document's root; undefined if there is none. */
function findServer(call: Invocation, document: JsonObject): string | undefined {
  const { basePath = '', host, schemes = ['https'] } = document
  if (typeof host === 'string') {
    const isSecure = Array.isArray(schemes) && (schemes.length === 0 || schemes.includes('https'))
    return `${isSecure ? 'https' : 'http'}://${host}${String(basePath).replace(/\/+$/, '')}`
  }
  const nowhere = { pathItem: {}, raw: {} }
  const found = chooseServerUrl(document, nowhere, readServerOptions(call), [])
  return found.ok ? found.value : undefined
}

/** Such a host has no certificate; a twin is allowed to call it. */
function isLoopback(url: string): boolean {
  return /^http:\/\/(?:localhost|127\.|\[::1\])/i.test(url)
}

async function sendPart(
  call: Invocation,
  document: JsonObject,
  verb: Verb,
): Promise<RequestedPlan> {
  const terms = readImportRequest(call)
  const selected = withinBudget(() => ok(selectPart(document, terms.selection)))
  if (!selected.ok) {
    const { detail, faults = [] } = selected.error
    throw toImportFault({ status: 400, body: { detail, errors: faults } })
  }
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
  const noun = selectedCount === 1 ? 'operation' : 'operations'
  const text = `${verb === 'apply' ? 'Importing' : 'Planning'} ${selectedCount} ${noun}`
  const request = { method: 'POST', path: `/imports/openapi:${verb}`, body } as const
  const work = { request, name: 'import', isApply: verb === 'apply', refuse: toImportFault }
  const answer = await withProgress(call.shell, text, completeApply(call, admin, work))
  const { operations, notSelected } = part
  const notImported = [...toList(answer['notImported']), ...part.unsent]
  const plan = { ...answer, notImported, operations, notSelected }
  return { plan, secureUrl: findServer(call, document)?.replace(/^http:/i, 'https:') }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function withOptions(call: Invocation, options: ChosenOptions): Invocation {
  return { ...call, given: { ...call.given, ...options } }
}

/** The command line that needs no answers, to paste into a script. */
function formatLine({ command, given, words }: Invocation): string {
  const values = new Set(command.options.flatMap(({ flag, value }) => (value ? [flag] : [])))
  const options = Object.entries(given).flatMap(([flag, list]) =>
    values.has(flag) ? list.flatMap((value) => [`--${flag}`, value]) : [`--${flag}`],
  )
  const all = ['skillgate', ...command.name.split(' '), ...Object.values(words).flat(), ...options]
  return all.map((word) => (PLAIN_WORD.test(word) ? word : quote([word]))).join(' ')
}

/** Words that no shell changes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/
