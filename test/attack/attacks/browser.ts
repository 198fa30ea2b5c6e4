/**
 * What a web page of any site can send: foreign origins, preflights, simple POSTs, host names that lead to
 * this machine.
 */

import { type HttpAnswer, type HttpRequest, send } from '../../e2e/http.ts'
import { listeningPorts } from '../../e2e/listening-ports.ts'
import { type Attack, attack, EVERYWHERE, TWIN } from '../attack.ts'
import type { Runtime, Target } from '../target.ts'

const EVIL = 'https://evil.example'

type PageResponse = {
  readonly url: string
  readonly status: number
  readonly allowed: string | undefined
}

type Page = {
  readonly name: string
  readonly tried: string
  readonly on: readonly Runtime[]
  readonly request: HttpRequest
  /** The one status that refuses it; any of 4xx and 5xx if undefined. */
  readonly refusedBy?: number
}

const FOREIGN = { origin: EVIL, 'content-type': 'text/plain' }
const PREFLIGHT = {
  origin: EVIL,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-admin-key',
}
const REBOUND = { host: 'evil.example', 'x-amz-target': 'DynamoDB_20120810.ListTables' }

const PAGES: readonly Page[] = [
  {
    name: 'origin-preflight',
    tried: 'a preflight of another site',
    on: EVERYWHERE,
    request: { method: 'OPTIONS', headers: PREFLIGHT },
  },
  {
    name: 'origin-simple-post',
    tried: 'a simple POST of another site, without a credential',
    on: EVERYWHERE,
    request: { method: 'POST', headers: FOREIGN, body: '{}' },
  },
  {
    name: 'origin-null',
    tried: 'a POST of a sandboxed frame, whose origin is null',
    on: EVERYWHERE,
    request: { method: 'POST', headers: { ...FOREIGN, origin: 'null' }, body: '{}' },
  },
  {
    name: 'no-origin-post',
    tried: 'a simple POST without Origin and without a credential',
    on: EVERYWHERE,
    request: { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
  },
  {
    name: 'dns-rebinding',
    tried: "a foreign name that resolves to this machine, with the emulator's header",
    // Only the twin checks Host: deployed names are AWS's, and resolve to AWS.
    on: TWIN,
    request: { method: 'POST', headers: REBOUND, body: '{}' },
    refusedBy: 403,
  },
]

export const BROWSER_ATTACKS: readonly Attack[] = PAGES.map(fromPage)

/** Sends the same request to every door, and to every port that the process has open. */
function fromPage({ name, on, refusedBy, request, tried }: Page): Attack {
  const held = { url: '/', status: 403, allowed: undefined }
  const isRefused = (status: number) =>
    refusedBy === undefined ? status >= 400 : status === refusedBy
  return attack<readonly PageResponse[]>({
    name,
    tried,
    on,
    attempt: async (target) => {
      const requests: PageResponse[] = []
      for (const url of urlsOf(target)) requests.push(seenAt(url, await send(url, request)))
      return requests
    },
    judge: (requests) => {
      if (requests.length === 0) return 'nothing was asked'
      const shown = requests.find(({ allowed }) => allowed !== undefined)
      if (shown !== undefined) return `${shown.url} lets ${shown.allowed} read its answer`
      const served = requests.find(({ status }) => !isRefused(status))
      return served === undefined ? undefined : `${served.url} answered ${served.status}`
    },
    held: [held],
    broken: [[], [{ ...held, status: 200 }], [held, { ...held, allowed: EVIL }]],
  })
}

function seenAt(url: string, { headers, status }: HttpAnswer): PageResponse {
  return { url, status, allowed: headers['access-control-allow-origin'] }
}

function urlsOf({ admin, execute, mcp, pid, sse }: Target): readonly string[] {
  const doors = [sse, mcp, execute, `${admin}/users`]
  if (pid === undefined || process.platform !== 'linux') return doors
  const paths = doors.map((door) => new URL(door).pathname)
  const loopbackPorts = listeningPorts(pid).filter(({ isHere }) => isHere)
  return loopbackPorts.flatMap(({ port }) => paths.map((path) => `http://127.0.0.1:${port}${path}`))
}
