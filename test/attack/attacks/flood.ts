/** A flood without a credential, while an administrator revokes a key. */
import { bearer, postJson } from '../../e2e/http.ts'
import { attack, TWIN } from '../attack.ts'

const REQUESTS = 600
const AT_ONCE = 60
/** A person waits for it; the flood alone takes longer. */
const REVOKED_MS_MAX = 2_000

export const FLOOD_ATTACK = attack({
  name: 'flooded-revocation',
  tried: `${REQUESTS} requests without a credential to the admin API, while a key is revoked`,
  // API Gateway, which throttles deployed stages, is none of the bundles; test/lib/admin-api.test.ts holds its settings.
  on: TWIN,
  attempt: async (target) => {
    const { uid } = await target.user()
    const listed = () => target.must('GET', `users/${uid}/keys`)
    const keyId = /"keyId":"([^"]+)"/.exec((await listed()).text)?.[1] ?? ''
    const flood = startFlood(`${target.admin}/users`)
    const startedMs = performance.now()
    const { status } = await target.ask('DELETE', `users/${uid}/keys/${keyId}`)
    const tookMs = performance.now() - startedMs
    const refusals = await flood
    const isGone = keyId !== '' && !(await listed()).text.includes(keyId)
    return { status, tookMs, isGone, admitted: refusals.filter((one) => one !== 401).length }
  },
  judge: ({ admitted, isGone, status, tookMs }) => {
    if (admitted > 0) return `${admitted} requests of the flood were not refused with 401`
    if (!isGone) return `the key is still there (${status})`
    return tookMs <= REVOKED_MS_MAX ? undefined : `the revocation took ${Math.round(tookMs)} ms`
  },
  held: { status: 204, tookMs: 90, isGone: true, admitted: 0 },
  broken: [
    { status: 204, tookMs: 9_000, isGone: true, admitted: 0 },
    { status: 429, tookMs: 90, isGone: false, admitted: 0 },
    { status: 204, tookMs: 90, isGone: true, admitted: 1 },
  ],
})

/** The statuses of all its requests. */
async function startFlood(url: string): Promise<readonly number[]> {
  const statuses: number[] = []
  let left = REQUESTS
  const sendSome = async () => {
    for (; left > 0; left -= 1) {
      statuses.push((await postJson(url, {}, bearer('not-the-secret'))).status)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome))
  return statuses
}
