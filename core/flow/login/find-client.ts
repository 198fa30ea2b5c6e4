/**
 * Finds the client of a client id: a registration that this gateway signed, or a metadata document
 * at the URL that the id is (draft-ietf-oauth-client-id-metadata-document). Documents are read by
 * the port of upstreams, whose guard refuses private addresses, without redirects and only when a
 * page is opened, so many times for each network; a stopped client site breaks no refresh.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import type { UpstreamAnswer } from '../../call/upstream.ts'
import { err, ok, type Result } from '../../errors.ts'
import { isJsonObject } from '../../json/json.ts'
import { parseJson } from '../../json/parse-json.ts'
import { type LoginClient, readClientId, readClientMetadata } from '../../login/client-id.ts'
import { CONSOLE_CLIENT_ID, makeConsoleClient } from '../../login/console-client.ts'
import {
  CLIENT_DOCUMENT_BYTES_MAX,
  CLIENT_DOCUMENT_FAILED_MS,
  CLIENT_DOCUMENT_KEPT_MS,
  CLIENT_DOCUMENT_URL_CHARS_MAX,
  CLIENT_DOCUMENT_WAIT_MS,
  CLIENT_DOCUMENTS_KEPT_MAX,
} from '../../login/limits.ts'
import type { LoginContext } from './login-context.ts'
import { countDocumentRead } from './login-tries.ts'

/** Why there is no client, in words for the person at the page. */
export type ClientRefusal =
  /** The client must register anew: 401 `invalid_client`. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unreadable'; readonly host: string }
  /** Too many documents were read for the network. */
  | { readonly kind: 'too-many-documents'; readonly retryAfterSec: number }

type Found = Result<LoginClient, ClientRefusal>

/** `network` is where the browser is, or the program that asks for tokens. */
export type FindClient = (clientId: string, network: string) => Promise<Found>

const UNKNOWN: Found = err({ kind: 'unknown' })

/** Returns a function that remembers the documents it has read. */
export function makeFindClient(context: LoginContext): FindClient {
  const { clock, digests, logins } = context.ports
  const kept = new Map<string, { readonly untilMs: number; readonly found: Promise<Found> }>()
  const recall = (clientId: string) => {
    const known = kept.get(clientId)
    return known !== undefined && clock.nowMs() < known.untilMs ? known.found : undefined
  }
  const read = async (clientId: string, host: string): Promise<Found> => {
    const found = readDocument(context, clientId, host)
    const keep = (keptMs: number) => {
      const untilMs = clock.nowMs() + keptMs
      keepYoungest(kept, clientId, { untilMs, found }, CLIENT_DOCUMENTS_KEPT_MAX)
    }
    keep(CLIENT_DOCUMENT_FAILED_MS)
    const answer = await found
    if (answer.ok) keep(CLIENT_DOCUMENT_KEPT_MS)
    return answer
  }
  const findDocument = async (clientId: string, network: string): Promise<Found> => {
    const url = readDocumentUrl(clientId)
    if (url === undefined) return UNKNOWN
    const known = recall(clientId)
    if (known !== undefined) return known
    const { isOver, retryAfterSec } = await countDocumentRead(context.ports, network)
    if (isOver) return err({ kind: 'too-many-documents', retryAfterSec })
    // Another request may have begun to read it meanwhile.
    return recall(clientId) ?? read(clientId, url.host)
  }
  return async (clientId, network) => {
    if (clientId === CONSOLE_CLIENT_ID) return findConsole(context)
    if (clientId.startsWith('https:')) return findDocument(clientId, network)
    const client = readClientId(digests, await logins.secret(), clientId)
    return client === undefined ? UNKNOWN : ok(client)
  }
}

function findConsole({ adminUrl }: LoginContext): Found {
  return adminUrl === undefined ? UNKNOWN : ok(makeConsoleClient(adminUrl))
}

/** An https URL with a path, as URL parsers write it, without user, query or fragment. */
function readDocumentUrl(clientId: string): URL | undefined {
  const url = clientId.length > CLIENT_DOCUMENT_URL_CHARS_MAX ? null : URL.parse(clientId)
  if (url === null || url.href !== clientId || url.protocol !== 'https:') return undefined
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined
  return url.pathname === '/' ? undefined : url
}

async function readDocument(
  { login, ports }: LoginContext,
  clientId: string,
  host: string,
): Promise<Found> {
  const late = new AbortController()
  const cancel = ports.clock.alarm(CLIENT_DOCUMENT_WAIT_MS, () => late.abort())
  const answer = await ports.upstream
    .send(
      { method: 'GET', url: clientId, headers: { accept: 'application/json' }, body: undefined },
      {
        responseBytesMax: CLIENT_DOCUMENT_BYTES_MAX,
        redirectsMax: 0,
        signal: late.signal,
        uid: 'login',
      },
    )
    .finally(cancel)
  const metadata = readMetadata(answer, clientId, login.redirectHosts)
  if (!metadata.ok) {
    ports.log.note('info', 'login-client-unreadable', { host, reason: metadata.error })
    return err({ kind: 'unreadable', host })
  }
  return ok({ ...metadata.value, clientId, documentHost: host })
}

/**
 * The error is for the log alone: the page must not tell strangers what a host answers to the
 * gateway.
 */
function readMetadata(
  answer: UpstreamAnswer,
  clientId: string,
  hosts: readonly string[],
): Result<Pick<LoginClient, 'name' | 'redirectUris'>, string> {
  if (answer.kind !== 'answered') return err(answer.kind)
  if (answer.response.status !== 200) return err(`status ${answer.response.status}`)
  const json = parseJson(answer.response.body)
  if (!json.ok || !isJsonObject(json.value)) return err('not JSON')
  if (json.value['client_id'] !== clientId) return err('other client_id')
  const metadata = readClientMetadata(json.value, hosts)
  return metadata === undefined ? err('no redirect URI on the list') : ok(metadata)
}
