/** Bodies that give a name twice, so that who reads the first value and who acts on the last one differ. */
import { fieldsOf } from '../../e2e/fields.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { freshId, freshSkill } from '../target.ts'

export const REPEATED_NAMES_ATTACK = attack({
  name: 'names-twice',
  tried: 'a grant with two amounts, plain and escaped, and a skill with two prices',
  on: EVERYWHERE,
  attempt: async (target) => {
    const uid = `u${freshId()}`
    await target.must('POST', 'users', { uid, username: uid })
    const grant = (amounts: string) =>
      target.ask('POST', `users/${uid}/credits`, `{"grantId":"g${freshId()}",${amounts}}`)
    const config = { endpoint: `${target.upstreams.here.url}/twice`, method: 'GET' }
    const id = await freshSkill(target, config, { credits_per_call: 2 })
    const shown = (await target.must('GET', `skills/official/${id}`)).json()
    const priced = JSON.stringify(fieldsOf(shown, 'skill')).replace(
      '"credits_per_call":2',
      '"credits_per_call":2,"credits_per_call":0',
    )
    const taken = [
      await grant('"amount":1,"amount":1000'),
      await grant('"amount":1,"\\u0061mount":1000'),
      await target.ask('POST', 'sync_skill', priced),
    ].map(({ status }) => status)
    const control = (await grant('"amount":1')).status
    return { control, taken }
  },
  judge: ({ control, taken }) => {
    if (control !== 200) return `a grant with one amount got ${control}`
    const passed = taken.filter((status) => status !== 400)
    return passed.length === 0 ? undefined : `a name given twice got ${passed.join(', ')}`
  },
  held: { control: 200, taken: [400, 400, 400] },
  broken: [
    { control: 200, taken: [200, 400, 400] },
    { control: 200, taken: [400, 400, 200] },
    { control: 500, taken: [400, 400, 400] },
  ],
})
