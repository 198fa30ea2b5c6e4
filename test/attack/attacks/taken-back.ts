/** Calls under a key that are cancelled while another caller repeats them: no answer must come for nothing. */
import { setTimeout as delay } from 'node:timers/promises'
import { attack, EVERYWHERE } from '../attack.ts'
import { callText, freshId, freshSkill, postMcp } from '../target.ts'

/** Three calls each, below the limit of a free minute. */
const TIMES = 15
/** The cancellation leaves after so many ms at most: before, amid and after the call. */
const CANCEL_MS_MAX = 20

export const TAKEN_BACK_ATTACK = attack({
  name: 'answers-of-cancelled-calls',
  tried: `${TIMES} keyed calls, cancelled at any moment while REST repeats them, and repeated again`,
  on: EVERYWHERE,
  attempt: async (target) => {
    const user = await target.user()
    const endpoint = `${target.upstreams.there.url}/works`
    const name = await freshSkill(target, { endpoint, method: 'GET' })
    let answered = 0
    for (let id = 0; id < TIMES; id += 1) {
      const key = freshId()
      const params = { name, arguments: {}, _meta: { 'skillgate/idempotency-key': key } }
      const call = { jsonrpc: '2.0', id, method: 'tools/call', params }
      const notice = { method: 'notifications/cancelled', params: { requestId: id } }
      const repeat = () => target.call(user.key, callText(name), { 'idempotency-key': key })
      const calling = postMcp(target, user.key, JSON.stringify(call))
      const racing = repeat()
      await delay((id * CANCEL_MS_MAX) / TIMES)
      await postMcp(target, user.key, JSON.stringify({ jsonrpc: '2.0', ...notice }))
      await Promise.all([calling, racing])
      if ((await repeat()).status === 200) answered += 1
    }
    const { credits } = await target.credits(user.uid)
    return { answered, paid: 100 - credits }
  },
  judge: ({ answered, paid }) => {
    if (answered === 0) return 'no call was answered'
    return paid === answered ? undefined : `${answered} answers cost ${paid} credits`
  },
  held: { answered: 15, paid: 15 },
  broken: [
    { answered: 15, paid: 11 },
    { answered: 15, paid: 30 },
    { answered: 0, paid: 0 },
  ],
})
