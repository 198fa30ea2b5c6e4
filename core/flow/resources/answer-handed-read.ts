/**
 * Reads a kept result, or what an upstream holds, for messages of the version before this one, which
 * may not read them itself. It is removed with the next release (ADR 0135). The credential is proven
 * here and its scope and groups are judged here, so the function that asks reads nothing for a user
 * whose credential it lacks. That function has counted the request.
 */
import type { Credential } from '../../access/credential.ts'
import { err, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { Asked } from '../../mcp/intent.ts'
import type { Reading } from '../../mcp/revision.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { NO_GROUPS } from '../../skills/visible.ts'
import { authenticate, KEY_MISSING } from '../access/authenticate.ts'
import { readCountedProfile } from '../access/count-request.ts'
import { toListMembers } from '../tools/answer-tools-list.ts'
import { type ListToolsNeeds, readMergedTools } from '../tools/merge-tool-layers.ts'
import { once } from '../tools/shared-layer.ts'
import type { ToolListCache } from '../tools/tool-list-cache.ts'
import { READING_TTL_MS } from './answer-reading.ts'
import type { Reader } from './resource-source.ts'
import { openReads, type ReadHereNeeds, type Reads } from './resource-sources.ts'

export type HandedReadNeeds = ListToolsNeeds &
  Pick<Ports, 'clock' | 'digests' | 'keys' | 'profiles'> &
  ReadHereNeeds

export type HandedRead =
  | { readonly kind: 'resource'; readonly uri: string }
  | Extract<Asked, { kind: 'prompt' }>

/** Refuses with `malformed`: the two functions may be of different deployments. */
export function readHandedRead(body: Json): Result<HandedRead> {
  const { arguments: args, kind, name, uri } = isJsonObject(body) ? body : {}
  if (kind === 'resource' && typeof uri === 'string') return ok({ kind, uri })
  if (kind === 'prompt' && typeof name === 'string' && isJsonObject(args))
    return ok({ kind, name, arguments: args })
  return refuse(
    'malformed',
    'body: must be {"kind": "resource", "uri"} or {"kind": "prompt", "name", "arguments"}.',
  )
}

/**
 * What the caller of this credential may read. Refuses with `not_found` what is not there or may not
 * be seen, and as the port McpReadings does.
 */
export async function answerHandedRead(
  ports: HandedReadNeeds,
  settings: Settings,
  lists: ToolListCache,
  { asked, credential }: { readonly credential: Credential; readonly asked: HandedRead },
): Promise<Result<Reading>> {
  const who = await authenticate(ports, credential)
  if (who.kind === 'refused') return err(who.refusal)
  if (who.kind === 'anonymous') return err(KEY_MISSING)
  const { principal } = who
  const counted = await readCountedProfile(ports, principal)
  if (!counted.ok) return counted
  const members = toListMembers({ profile: counted.value })
  const reader: Reader = {
    principal,
    groups: members.groups ?? NO_GROUPS,
    tools: once(() => readMergedTools(ports, settings, lists, { ...principal, ...members })),
  }
  const reads = openReads(ports, settings)
  return asked.kind === 'prompt'
    ? readPrompt(reads, reader, asked)
    : readResource(reads, reader, asked.uri)
}

/** The door of the caller writes it in the words of its revision. */
const NOTHING: Refusal = { code: 'not_found', detail: 'There is nothing that you may read.' }

async function readPrompt(
  { prompts }: Reads,
  reader: Reader,
  asked: Extract<HandedRead, { kind: 'prompt' }>,
): Promise<Result<Reading>> {
  const found = await prompts.get(reader, asked)
  if (found === undefined) return err(NOTHING)
  return found.kind === 'later' ? found.ask() : ok({ members: found.members, ttlMs: undefined })
}

async function readResource(
  { resources }: Reads,
  reader: Reader,
  uri: string,
): Promise<Result<Reading>> {
  for (const source of resources) {
    const found = await source.read(reader, uri)
    switch (found?.kind) {
      case undefined:
        continue
      case 'content':
        return ok({ members: { contents: [found.content] }, ttlMs: READING_TTL_MS })
      case 'too-large':
        return refuse('invalid_arguments', `params.uri: ${found.message}`)
      case 'later':
        return found.ask()
      default:
        return found satisfies never
    }
  }
  return err(NOTHING)
}
