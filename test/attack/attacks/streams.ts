/** Streams whose client leaves before its reply, and sessions that are filled with requests. */
import { setTimeout as delay } from 'node:timers/promises'
import { openRawSession } from '../../e2e/raw-session.ts'
import { untilTrue } from '../../e2e/wait.ts'
import { attack, EVERYWHERE, TWIN } from '../attack.ts'
import { freshSkill, type Target } from '../target.ts'

const LEAVING_CALLS = 5
const CREDITS = 100
/** Ends a wait for what never comes: every hold ends long before, and so do the replies of the slow upstream. */
const SETTLED_MS_MAX = 100_000
/** Requests since the oldest one that has no answer. */
const PENDING_MAX = 256
const PINGS = 300
const PINGS_AT_ONCE = 15

export const STREAM_ATTACKS = [
  attack({
    name: 'paid-and-lost',
    tried: `${LEAVING_CALLS} priced calls whose client leaves before the replies`,
    // Only a process that holds the connection knows at once that its client has left.
    on: TWIN,
    attempt: async (target) => {
      const user = await target.user()
      const { calls, skill } = await slowSkill(target, 700)
      const session = await openRawSession(target.sse, user.key)
      for (let id = 1; id <= LEAVING_CALLS; id += 1) await session.post(callOf(skill, id))
      await untilTrue(() => calls() === LEAVING_CALLS, SETTLED_MS_MAX)
      session.close()
      await delay(1_000)
      const isSettled = async () => (await target.credits(user.uid)).onHold === 0
      await untilTrue(isSettled, SETTLED_MS_MAX).catch(() => {})
      return { calls: calls(), ...(await target.credits(user.uid)) }
    },
    judge: ({ calls, credits, onHold }) => {
      if (calls !== LEAVING_CALLS) return `${calls} calls reached the upstream`
      if (onHold > 0) return `${onHold} credits are still on hold`
      return credits === CREDITS ? undefined : `${CREDITS - credits} credits were charged`
    },
    held: { calls: 5, credits: 100, onHold: 0 },
    broken: [
      { calls: 5, credits: 95, onHold: 0 },
      { calls: 5, credits: 95, onHold: 5 },
      { calls: 0, credits: 100, onHold: 0 },
    ],
  }),
  attack({
    name: 'pending-overflow',
    tried: `${PINGS} pings in a session behind one slow call`,
    on: EVERYWHERE,
    attempt: async (target) => {
      const user = await target.user()
      const { skill } = await slowSkill(target, 12_000)
      const session = await openRawSession(target.sse, user.key)
      try {
        const statuses = [(await session.post(callOf(skill, 'slow'))).status]
        let isBehind = true
        const reply = session.message((data) => data.includes('"id":"slow"'), SETTLED_MS_MAX)
        const answered = reply.finally(() => {
          isBehind = false
        })
        answered.catch(() => {})
        for (let id = 1; id <= PINGS && isBehind; id += PINGS_AT_ONCE) {
          const pings = Array.from({ length: PINGS_AT_ONCE }, (_, nth) => pingOf(id + nth))
          const answers = await Promise.all(pings.map((ping) => session.post(ping)))
          // Once the slow call has its reply, the session has room again.
          if (isBehind) statuses.push(...answers.map(({ status }) => status))
        }
        const isWhole = isBehind
        const isAnswered = await answered.then(
          () => true,
          () => false,
        )
        const accepted = statuses.filter((status) => status === 202).length
        const refused = [...new Set(statuses.filter((status) => status !== 202))]
        return { accepted, refused, isAnswered, isWhole }
      } finally {
        session.close()
      }
    },
    judge: ({ accepted, isAnswered, isWhole, refused }) => {
      if (accepted > PENDING_MAX) return `${accepted} requests were accepted`
      if (refused.some((status) => status >= 500)) return `refused with ${refused.join(', ')}`
      // A machine so busy that the slow call ended first.
      if (accepted < PENDING_MAX && (isWhole || refused.length > 0))
        return `only ${accepted} requests were accepted, others got ${refused.join(', ')}`
      return isAnswered ? undefined : 'the slow call got no reply'
    },
    held: { accepted: 256, refused: [429], isAnswered: true, isWhole: true },
    broken: [
      { accepted: 301, refused: [], isAnswered: true, isWhole: true },
      { accepted: 256, refused: [503], isAnswered: true, isWhole: true },
      { accepted: 256, refused: [429], isAnswered: false, isWhole: true },
      { accepted: 20, refused: [429], isAnswered: true, isWhole: true },
    ],
  }),
]

async function slowSkill(target: Target, ms: number) {
  const { here } = target.upstreams
  const skill = await freshSkill(target, { endpoint: `${here.url}/slow?ms=${ms}`, method: 'GET' })
  const before = here.seen.length
  return {
    skill,
    calls: () => here.seen.slice(before).filter((one) => one.includes('/slow')).length,
  }
}

function callOf(skill: string, id: number | string): string {
  const params = { name: skill, arguments: {} }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

function pingOf(id: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })
}
