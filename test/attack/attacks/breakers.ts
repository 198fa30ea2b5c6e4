/** One user's failing calls, which cost nothing, against the calls of all others. */
import { attack, EVERYWHERE } from '../attack.ts'
import { callText, freshSkill } from '../target.ts'

/** More than the sends and failures that open a breaker. */
const FAILING_CALLS = 15

export const BREAKER_ATTACK = attack({
  name: 'breaker-for-all',
  tried: `${FAILING_CALLS} free failing calls of one user, then a call of another`,
  on: EVERYWHERE,
  attempt: async (target) => {
    const { there } = target.upstreams
    const [eve, ada] = [await target.user(), await target.user()]
    const failing = await freshSkill(target, { endpoint: `${there.url}/fail`, method: 'GET' })
    const works = await freshSkill(target, { endpoint: `${there.url}/works`, method: 'GET' })
    let failed = 0
    for (let nth = 0; nth < FAILING_CALLS; nth += 1) {
      if ((await target.call(eve.key, callText(failing))).status === 502) failed += 1
    }
    return { failed, status: (await target.call(ada.key, callText(works))).status }
  },
  judge: ({ failed, status }) => {
    if (failed < FAILING_CALLS) return `only ${failed} calls of the attacker failed`
    return status === 200 ? undefined : `the call of another user got ${status}`
  },
  held: { failed: 15, status: 200 },
  broken: [
    { failed: 15, status: 502 },
    { failed: 3, status: 200 },
  ],
})
