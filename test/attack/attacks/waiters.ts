/** Callers who leave while their calls wait for a connection to an upstream that does not answer. */
import { setTimeout as delay } from 'node:timers/promises'
import { attack, TWIN } from '../attack.ts'
import { callText, freshSkill, type Target, type User } from '../target.ts'

const USERS = 24
/** Fewer than a free user may have on hold. */
const CALLS_EACH = 30
/** Connections to one origin. There are more calls than that, so the others wait for one. */
const CONNECTIONS_MAX = 512
const CREDITS = 100
/** Longer than the attack: nobody gets a connection back before all have left. */
const SLOW_MS = 6_000
/** Every hold ends within this time: a call is stopped after 15 s. */
const SETTLED_MS_MAX = 100_000
const PAUSE_MS = 100

export const WAITER_ATTACK = attack({
  name: 'aborted-waiters',
  tried: `${USERS * CALLS_EACH} calls that wait for one slow upstream, and leave at once`,
  // Only a process that holds the connection knows that its caller has left.
  on: TWIN,
  attempt: async (target) => {
    const slow = `/slow?ms=${SLOW_MS}&of=waiters`
    const endpoint = `${target.upstreams.there.url}${slow}`
    const skill = await freshSkill(target, { endpoint, method: 'GET' })
    const users = await Promise.all(Array.from({ length: USERS }, () => target.user()))
    const leave = new AbortController()
    const calls = users.flatMap(({ key }) =>
      Array.from({ length: CALLS_EACH }, () => callAndLeave(target, key, skill, leave.signal)),
    )
    const reached = () => target.upstreams.there.seen.filter((one) => one.includes(slow)).length
    await until(async () => reached() >= CONNECTIONS_MAX)
    leave.abort()
    await Promise.all(calls)
    const isSettled = await until(async () => (await onHoldOf(target, users)) === 0)
    const next = await target.user()
    const works = `${target.upstreams.there.url}/works`
    const second = await freshSkill(target, { endpoint: works, method: 'GET' })
    const { status } = await target.call(next.key, callText(second))
    const left = await Promise.all(users.map(({ uid }) => target.credits(uid)))
    return {
      reached: reached(),
      isSettled,
      status,
      least: Math.min(...left.map((one) => one.credits)),
    }
  },
  judge: ({ isSettled, least, reached, status }) => {
    if (reached < CONNECTIONS_MAX) return `only ${reached} calls reached the upstream`
    if (status !== 200) return `the next call got ${status}`
    if (!isSettled) return 'credits are still on hold'
    return least === CREDITS ? undefined : `a caller who left paid ${CREDITS - least} credits`
  },
  held: { reached: 512, isSettled: true, status: 200, least: 100 },
  broken: [
    { reached: 512, isSettled: false, status: 0, least: 76 },
    { reached: 512, isSettled: false, status: 200, least: 76 },
    { reached: 512, isSettled: true, status: 200, least: 99 },
    { reached: 0, isSettled: true, status: 200, least: 100 },
  ],
})

async function callAndLeave(
  { execute }: Target,
  key: string,
  skill: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  await fetch(execute, { method: 'POST', headers, body: callText(skill), signal }).catch(() => {})
}

async function onHoldOf(target: Target, users: readonly User[]): Promise<number> {
  const all = await Promise.all(users.map(({ uid }) => target.credits(uid)))
  return all.reduce((sum, { onHold }) => sum + onHold, 0)
}

/** False when it did not happen in time, or the gateway is gone. */
async function until(isTrue: () => Promise<boolean>): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < SETTLED_MS_MAX; waitedMs += PAUSE_MS) {
    if (await isTrue().catch(() => false)) return true
    await delay(PAUSE_MS)
  }
  return false
}
