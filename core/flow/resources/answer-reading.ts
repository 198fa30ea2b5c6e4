/**
 * Answers requests about resources, prompts and guides, for both transports and in the shape of the
 * caller's revision. They are free and count like tools/list. A credential that is refused is
 * treated as none; a door that answers it with 401 has done so before. Bound by docs/guides.md and
 * ADR 0126.
 */
import { err, Fault, ok, type Result } from '../../errors.ts'
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
import { type GuideNeeds, getGuide, listFolder, listGuides } from './guide-source.ts'
import type { ListSource, Reader, ReadSource } from './resource-source.ts'
import {
  type FurtherSources,
  listResourceSources,
  openPromptSources,
  openReadSources,
} from './resource-sources.ts'

export type AnswerReadingNeeds = AnswerListNeeds & GuideNeeds

/** As long as a list of tools: a reader learns of a new guide or price within a minute. */
export const READING_TTL_MS = 60_000

export type ReadingTerms = FurtherSources & {
  readonly revision: Revision
  caller(): Caller | Promise<Caller>
  readonly wait: StoreWait
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
  const server = makeServerInfo(context.settings)
  return ok(JSON.stringify(revision.results.read(answer.value, server)))
}

async function openReader(
  { caches, ports, settings }: DispatchContext<AnswerReadingNeeds>,
  who: Exclude<Caller, { kind: 'unchecked' }>,
): Promise<Result<Reader, RpcError>> {
  if (who.kind !== 'principal') {
    const counted = await countAnonymousList(ports)
    if (!counted.ok) return err(toListError(counted.error))
    const tools = once(() => readMergedTools(ports, settings, caches.lists, undefined))
    return ok({ uid: undefined, groups: NO_GROUPS, tools })
  }
  const { principal } = who
  const counted = await countRequest(ports, settings, principal)
  if (!counted.ok) return err(toListError(counted.error))
  const members = toListMembers(counted.value)
  const lister = { ...principal, ...members }
  const tools = once(() => readMergedTools(ports, settings, caches.lists, lister))
  return ok({ uid: principal.uid, groups: members.groups ?? NO_GROUPS, tools })
}

type Answer = Promise<Result<Reading, RpcError>>

function read(
  { ports, settings }: DispatchContext<AnswerReadingNeeds>,
  terms: ReadingTerms,
  reader: Reader,
  asked: Asked,
): Answer {
  switch (asked.kind) {
    case 'resources':
      return listFrom('resources', listResourceSources(ports), reader, asked.cursor)
    case 'templates':
      return listFrom('resourceTemplates', [], reader, asked.cursor)
    case 'prompts':
      return listFrom('prompts', openPromptSources(ports), reader, asked.cursor)
    case 'guides':
      return readGuides(ports, reader, asked.cursor)
    case 'resource':
      return readResource(openReadSources(ports, settings, terms), terms, reader, asked.uri)
    case 'guide':
      return readGuide(ports, reader, asked.uri)
    case 'directory':
      return readDirectory(ports, reader, asked)
    case 'prompt':
      return getPrompt(ports, reader, asked.name)
    default:
      return asked satisfies never
  }
}

/** Lists one source after the other. A page has entries of one source. */
async function listFrom(
  name: string,
  sources: readonly ListSource[],
  reader: Reader,
  cursor: string | undefined,
): Answer {
  if (cursor === undefined && sources.length === 0) return list(name, [], undefined)
  const place = readPlace(cursor)
  const index = place === undefined ? 0 : sources.findIndex((one) => one.name === place.source)
  const source = sources[index]
  if (source === undefined || (cursor !== undefined && place === undefined)) return refuseCursor()
  const page = await source.list(reader, { after: place?.after })
  const following = sources[index + 1]?.name
  const next =
    page.next === undefined ? following && `${following}:` : `${source.name}:${page.next}`
  return list(name, page.entries, next)
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

async function getPrompt(ports: AnswerReadingNeeds, reader: Reader, name: string): Answer {
  for (const source of openPromptSources(ports)) {
    const members = await source.get(reader, name)
    if (members !== undefined) return ok({ members, ttlMs: undefined })
  }
  return refuse('params.name: there is no prompt with this name; see prompts/list')
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

function refuse(message: string): Result<never, RpcError> {
  return err({ code: RPC_INVALID_PARAMS, message })
}

/** The client's URI comes back, since a client that asks for many tells the answers apart by it. */
function refuseUri(uri: string, code: number): Result<never, RpcError> {
  const message = 'params.uri: there is nothing with this URI that you may read; list them again'
  return err({ code, message, data: { uri } })
}
