/** Floods without a credential: while an administrator revokes a key, and of DELETEs while others work. */
import { bearer, type HttpAnswer, postJson, send } from '../../e2e/http.ts'
import { attack, TWIN } from '../attack.ts'
import { callText, freshSkill, type Target } from '../target.ts'

const REQUESTS = 600
const AT_ONCE = 60
/** The limit of the revocation, which a person waits for, on a machine that is not busy otherwise. */
const REVOKED_MS_MAX = 2_000
/** The limit of a call meanwhile. */
const CALL_MS_MAX = 2_000

/** On a busy machine all is slow alike: what did not wait for the flood took at most half of its time. */
export function isInTime(tookMs: number, floodMs: number, msMax: number): boolean {
  return tookMs <= Math.max(msMax, floodMs / 2)
}

export const FLOOD_ATTACK = attack({
  name: 'flooded-revocation',
  tried: `${REQUESTS} requests without a credential to the admin API, while a key is revoked`,
  // Deployed stages are throttled by API Gateway, which the bundles do not contain;
  // test/lib/admin-api.test.ts checks its settings.
  on: TWIN,
  attempt: async (target) => {
    const { uid } = await target.user()
    const listed = () => target.must('GET', `users/${uid}/keys`)
    const keyId = /"keyId":"([^"]+)"/.exec((await listed()).text)?.[1] ?? ''
    const flood = startFlood(() => postJson(`${target.admin}/users`, {}, bearer('not-the-secret')))
    const startedMs = performance.now()
    const { status } = await target.ask('DELETE', `users/${uid}/keys/${keyId}`)
    const tookMs = performance.now() - startedMs
    const refusals = await flood
    const floodMs = performance.now() - startedMs
    const isGone = keyId !== '' && !(await listed()).text.includes(keyId)
    return {
      status,
      tookMs,
      floodMs,
      isGone,
      admitted: refusals.filter((one) => one !== 401).length,
    }
  },
  judge: ({ admitted, floodMs, isGone, status, tookMs }) => {
    if (admitted > 0) return `${admitted} requests of the flood were not refused with 401`
    if (!isGone) return `the key is still there (${status})`
    if (isInTime(tookMs, floodMs, REVOKED_MS_MAX)) return undefined
    return `the revocation took ${Math.round(tookMs)} ms`
  },
  held: { status: 204, tookMs: 90, floodMs: 900, isGone: true, admitted: 0 },
  broken: [
    { status: 204, tookMs: 9_000, floodMs: 9_100, isGone: true, admitted: 0 },
    { status: 429, tookMs: 90, floodMs: 900, isGone: false, admitted: 0 },
    { status: 204, tookMs: 90, floodMs: 900, isGone: true, admitted: 1 },
  ],
})

/** What each door answers to a DELETE without a credential. */
const REFUSED = { agents: 405, admin: 401 }

export const DELETE_FLOOD_ATTACK = attack({
  name: 'flooded-deletes',
  tried: `${REQUESTS} DELETEs without a credential to agents and as many to the admin API, while others call`,
  on: TWIN,
  attempt: async (target) => {
    const { key, uid } = await target.user()
    const skill = await freshSkill(target, {
      endpoint: `${target.upstreams.here.url}/ok`,
      method: 'GET',
    })
    const flood = startDeletes(target, uid)
    const startedMs = performance.now()
    const { status } = await target.call(key, callText(skill))
    const tookMs = performance.now() - startedMs
    const { agents, admin } = await flood
    const floodMs = performance.now() - startedMs
    const listed = await listWithoutKey(target)
    const keys = await target.must('GET', `users/${uid}/keys`)
    return {
      status,
      tookMs,
      floodMs,
      listed: listed.status,
      keysLeft: keys.text.split('"keyId"').length - 1,
      admitted: [
        ...agents.filter((one) => one !== REFUSED.agents),
        ...admin.filter((one) => one !== REFUSED.admin),
      ].length,
    }
  },
  judge: ({ admitted, floodMs, keysLeft, listed, status, tookMs }) => {
    if (admitted > 0) return `${admitted} DELETEs were not refused`
    if (keysLeft !== 1) return `the user has ${keysLeft} keys`
    if (status !== 200) return `a call beside the flood answered ${status}`
    // DELETEs that counted would have used up the minute of all callers without a key.
    if (listed !== 200) return `a list without a key answered ${listed} after the flood`
    if (isInTime(tookMs, floodMs, CALL_MS_MAX)) return undefined
    return `a call took ${Math.round(tookMs)} ms`
  },
  held: { status: 200, tookMs: 90, floodMs: 900, listed: 200, keysLeft: 1, admitted: 0 },
  broken: [
    { status: 200, tookMs: 90, floodMs: 900, listed: 200, keysLeft: 1, admitted: 1 },
    { status: 200, tookMs: 90, floodMs: 900, listed: 200, keysLeft: 0, admitted: 0 },
    { status: 429, tookMs: 90, floodMs: 900, listed: 200, keysLeft: 1, admitted: 0 },
    { status: 200, tookMs: 90, floodMs: 900, listed: 429, keysLeft: 1, admitted: 0 },
    { status: 200, tookMs: 9_000, floodMs: 9_100, listed: 200, keysLeft: 1, admitted: 0 },
  ],
})

async function startDeletes(target: Target, uid: string) {
  const doors = [target.mcp, target.sse, target.execute]
  let turn = 0
  const agents = startFlood(() => {
    turn += 1
    const headers = { 'mcp-session-id': `s-${turn}` }
    return send(doors[turn % doors.length] ?? target.mcp, { method: 'DELETE', headers })
  })
  const admin = startFlood(() => send(`${target.admin}/users/${uid}`, { method: 'DELETE' }))
  return { agents: await agents, admin: await admin }
}

function listWithoutKey({ mcp }: Target) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const headers = { accept: 'application/json, text/event-stream' }
  return postJson(mcp, message, headers)
}

/** The statuses of all its requests. */
export async function startFlood(one: () => Promise<HttpAnswer>): Promise<readonly number[]> {
  const statuses: number[] = []
  let left = REQUESTS
  const sendSome = async () => {
    while (left > 0) {
      left -= 1
      statuses.push((await one()).status)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome))
  return statuses
}
