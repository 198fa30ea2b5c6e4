/** sg_call as a way round: tools of others, of other groups, outside the scope of a key, and itself. */
import { stringOf } from '../../e2e/fields.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { callText, freshId, freshSkill, skillOf } from '../target.ts'

export const BY_NAME_ATTACK = attack({
  name: 'sg-call',
  tried: 'sg_call of tools that a direct call does not reach, of itself, and by a user without it',
  on: EVERYWHERE,
  attempt: async (target) => {
    const config = { endpoint: `${target.upstreams.there.url}/works`, method: 'GET' }
    const [mine, other] = [await freshSkill(target, config), await freshSkill(target, config)]
    const grouped = await freshSkill(target, config, { groups: [freshId()] })
    const [ada, ben] = [await target.user(), await target.user()]
    const own = `sg_${freshId()}`
    const definition = skillOf(own, config, { source: 'private' })
    await target.must('POST', `sync_skill?source=private&uid=${ben.uid}`, definition)
    await target.must('PATCH', `users/${ada.uid}`, { list: 'search' })
    const issued = await target.must('POST', `users/${ada.uid}/keys`, { tools: [mine] })
    const narrow = stringOf(issued.json(), 'key')
    const byName = async (key: string, args: object) =>
      (await target.call(key, callText('sg_call', args))).status
    const nested = { name: 'sg_call', arguments: { name: other } }
    return {
      control: await byName(ada.key, { name: mine }),
      refused: [
        await byName(narrow, { name: other }),
        await byName(narrow, { name: `${ben.uid}_${own}` }),
        await byName(ada.key, { name: `${ben.uid}_${own}` }),
        await byName(ada.key, { name: own }),
        await byName(ada.key, { name: grouped }),
        await byName(ada.key, nested),
        await byName(ben.key, { name: mine }),
      ],
      paid: 200 - (await target.credits(ada.uid)).credits - (await target.credits(ben.uid)).credits,
    }
  },
  judge: ({ control, paid, refused }) => {
    if (control !== 200) return `a call that is allowed got ${control}`
    const answered = refused.filter((status) => status < 400 || status >= 500)
    if (answered.length > 0) return `calls that are not allowed got ${answered.join(', ')}`
    return paid === 1 ? undefined : `one call cost ${paid} credits`
  },
  held: { control: 200, refused: [403, 404, 404, 404, 404, 422, 403], paid: 1 },
  broken: [
    { control: 403, refused: [403], paid: 0 },
    { control: 200, refused: [403, 200], paid: 2 },
    { control: 200, refused: [403, 500], paid: 1 },
    { control: 200, refused: [403], paid: 2 },
  ],
})
