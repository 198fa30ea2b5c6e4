/**
 * Answers requests about resources, prompts and guides, for both transports and in the shape of the
 * caller's revision. They are free and count like tools/list. A credential that is refused is
 * treated as none; a door that answers it with 401 has done so before. Bound by docs/guides.md and
 * ADR 0126.
 */
import { ERRORS, err, Fault, ok, type Result } from '../../errors.ts'
import { readCursor, writeCursor, writeCursorRule } from '../../json/cursor.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../../jsonrpc/message.ts'
import type { Asked, ReadIntent } from '../../mcp/intent.ts'
import type { Reading, Revision } from '../../mcp/revision.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { NO_GROUPS } from '../../skills/visible.ts'
import { countAnonymousList, countRequest } from '../access/count-request.ts'
import type { StoreWait } from '../access/store-wait.ts'
import {
  type AnswerListNeeds,
  type Caller,
  toListError,
  toListMembers,
} from '../tools/answer-tools-list.ts'
import type { DispatchContext } from '../tools/dispatch-intent.ts'
import { readMergedTools } from '../tools/merge-tool-layers.ts'
import { once } from '../tools/shared-layer.ts'
import {
  type GuideNeeds,
  getGuide,
  listFolder,
  listGuides,
  openGuidePrompts,
  openGuideSource,
} from './guide-source.ts'
import type {
  AskedPrompt,
  FurtherSources,
  ListSource,
  PromptSource,
  Reader,
  ReadLater,
  ReadSource,
} from './resource-source.ts'

export type AnswerReadingNeeds = AnswerListNeeds & GuideNeeds

/** As long as a list of tools: a reader learns of a new guide or price within a minute. */
export const READING_TTL_MS = 60_000

export type ReadingTerms = {
  readonly revision: Revision
  caller(): Caller | Promise<Caller>
  readonly wait: StoreWait
  readonly further: FurtherSources
}

/** Returns the result as JSON text. Throws `Fault` if the store fails. */
export async function answerReading(
  context: DispatchContext<AnswerReadingNeeds>,
  { asked }: ReadIntent,
  terms: ReadingTerms,
): Promise<Result<string, RpcError>> {
  const { caller, revision, wait } = terms
  const who = await caller()
  // The store has just failed, so it is not read again.
  if (who.kind === 'unchecked') throw new Fault('store_unavailable', 'reading: no principal')
  const answer = await wait.within(async () => {
    const reader = await openReader(context, who)
    return reader.ok ? read(context, terms, reader.value, asked) : reader
  })
  if (!answer.ok) return answer
  const found = answer.value
  const done = 'kind' in found ? await askLater(found, asked, revision) : ok(found)
  if (!done.ok) return done
  const server = makeServerInfo(context.settings)
  return ok(JSON.stringify(revision.results.read(done.value, server)))
}

/** A server that does not have it, and a server that may not be read, are answered alike. */
async function askLater(
  later: ReadLater,
  asked: Asked,
  { unknownResourceCode }: Revision,
): Promise<Result<Reading, RpcError>> {
  const answer = await later.ask()
  if (answer.ok) return answer
  const { code, detail, retryAfterSec } = answer.error
  if (code === 'not_found' && 'uri' in asked) return refuseUri(asked.uri, unknownResourceCode)
  if (code === 'not_found') return refuseName()
  const more = retryAfterSec === undefined ? {} : { retryAfterSec }
  return err({ code: ERRORS[code].rpcCode, message: detail, data: { code, ...more } })
}

async function openReader(
  { caches, ports, settings }: DispatchContext<AnswerReadingNeeds>,
  who: Exclude<Caller, { kind: 'unchecked' }>,
): Promise<Result<Reader, RpcError>> {
  if (who.kind !== 'principal') {
    const counted = await countAnonymousList(ports)
    if (!counted.ok) return err(toListError(counted.error))
    const tools = once(() => readMergedTools(ports, settings, caches.lists, undefined))
    return ok({ principal: undefined, groups: NO_GROUPS, tools })
  }
  const { principal } = who
  const counted = await countRequest(ports, settings, principal)
  if (!counted.ok) return err(toListError(counted.error))
  const members = toListMembers(counted.value)
  const lister = { ...principal, ...members }
  const tools = once(() => readMergedTools(ports, settings, caches.lists, lister))
  return ok({ principal, groups: members.groups ?? NO_GROUPS, tools })
}

type Answer = Promise<Result<Reading | ReadLater, RpcError>>

function read(
  { ports }: DispatchContext<AnswerReadingNeeds>,
  terms: ReadingTerms,
  reader: Reader,
  asked: Asked,
): Answer {
  const { prompts, reads, resources, templates } = terms.further
  const guides = openGuideSource(ports)
  const allPrompts = [openGuidePrompts(ports), ...prompts]
  switch (asked.kind) {
    case 'resources':
      return listFrom('resources', asked.cursor, [guides, ...resources], reader)
    case 'templates':
      return listFrom('resourceTemplates', asked.cursor, templates, reader)
    case 'prompts':
      return listFrom('prompts', asked.cursor, allPrompts, reader)
    case 'guides':
      return readGuides(ports, reader, asked.cursor)
    case 'resource':
      return readResource([guides, ...reads], terms, reader, asked.uri)
    case 'guide':
      return readGuide(ports, reader, asked.uri)
    case 'directory':
      return readDirectory(ports, reader, asked)
    case 'prompt':
      return getPrompt(allPrompts, reader, asked)
    default:
      return asked satisfies never
  }
}

/** Entries past which a page does not go on with the next source. */
const PAGE_ENTRIES = 50

/** Lists one source after the other. A short page of one goes on with the next. */
async function listFrom(
  name: 'prompts' | 'resources' | 'resourceTemplates',
  cursor: string | undefined,
  sources: readonly ListSource[],
  reader: Reader,
): Answer {
  if (cursor === undefined && sources.length === 0) return list(name, [], undefined)
  const place = readPlace(cursor)
  const first = place === undefined ? 0 : sources.findIndex((one) => one.name === place.source)
  if (first < 0 || (cursor !== undefined && place === undefined)) return refuseCursor()
  const entries: Reading['members'][] = []
  let after = place?.after
  for (const source of sources.slice(first)) {
    if (entries.length >= PAGE_ENTRIES) return list(name, entries, `${source.name}:`)
    const page = await source.list(reader, { after })
    entries.push(...page.entries)
    if (page.next !== undefined) return list(name, entries, `${source.name}:${page.next}`)
    after = undefined
  }
  return list(name, entries, undefined)
}

/** A cursor names a source and, after a colon, where its page begins. */
function readPlace(
  cursor: string | undefined,
): { readonly source: string; readonly after: string | undefined } | undefined {
  const position = cursor === undefined ? undefined : readCursor(cursor)
  const colon = position?.indexOf(':') ?? -1
  if (position === undefined || colon < 0) return undefined
  const after = position.slice(colon + 1)
  return { source: position.slice(0, colon), after: after === '' ? undefined : after }
}

async function getPrompt(
  sources: readonly PromptSource[],
  reader: Reader,
  asked: AskedPrompt,
): Answer {
  for (const source of sources) {
    const found = await source.get(reader, asked)
    if (found?.kind === 'prompt') return ok({ members: found.members, ttlMs: undefined })
    if (found !== undefined) return ok(found)
  }
  return refuseName()
}

async function readGuides(
  ports: AnswerReadingNeeds,
  reader: Reader,
  cursor: string | undefined,
): Answer {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  if (cursor !== undefined && (after === undefined || after === '')) return refuseCursor()
  const { guides, next } = await listGuides(ports, reader, after)
  return list('skills', guides, next)
}

async function readResource(
  sources: readonly ReadSource[],
  { revision }: ReadingTerms,
  reader: Reader,
  uri: string,
): Answer {
  for (const source of sources) {
    const found = await source.read(reader, uri)
    if (found?.kind === 'content') return cached({ contents: [found.content] })
    if (found?.kind === 'later') return ok(found)
    if (found?.kind === 'too-large') {
      return err({
        code: RPC_INVALID_PARAMS,
        message: `params.uri: ${found.message}`,
        data: { uri },
      })
    }
  }
  return refuseUri(uri, revision.unknownResourceCode)
}

async function readGuide(ports: AnswerReadingNeeds, reader: Reader, uri: string): Answer {
  const skill = await getGuide(ports, reader, uri)
  return skill === undefined ? refuseUri(uri, RPC_INVALID_PARAMS) : cached({ skill })
}

async function readDirectory(
  ports: AnswerReadingNeeds,
  reader: Reader,
  { cursor, uri }: Extract<Asked, { kind: 'directory' | 'guide' | 'resource' }>,
): Answer {
  if (cursor !== undefined) return refuseCursor()
  const resources = await listFolder(ports, reader, uri)
  return resources === undefined
    ? refuseUri(uri, RPC_INVALID_PARAMS)
    : cached({ resources: [...resources] })
}

function list(
  name: string,
  entries: readonly Reading['members'][],
  next: string | undefined,
): Result<Reading, RpcError> {
  const more = next === undefined ? {} : { nextCursor: writeCursor(next) }
  return cached({ [name]: [...entries], ...more })
}

function cached(members: Reading['members']): Result<Reading, RpcError> {
  return ok({ members, ttlMs: READING_TTL_MS })
}

function refuseCursor(): Result<never, RpcError> {
  return refuse(`params.cursor: ${writeCursorRule()}`)
}

function refuseName(): Result<never, RpcError> {
  return refuse('params.name: there is no prompt with this name; see prompts/list')
}

function refuse(message: string): Result<never, RpcError> {
  return err({ code: RPC_INVALID_PARAMS, message })
}

/** The client's URI comes back, since a client that asks for many tells the answers apart by it. */
function refuseUri(uri: string, code: number): Result<never, RpcError> {
  const message = 'params.uri: there is nothing with this URI that you may read; list them again'
  return err({ code, message, data: { uri } })
}
