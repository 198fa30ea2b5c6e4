/** An answer that one user plants in a kept connection for the next. */
import { attack, EVERYWHERE } from '../attack.ts'
import { callText, freshSkill } from '../target.ts'

export const SMUGGLING_ATTACK = attack({
  name: 'smuggled-answer',
  tried: 'a body that an upstream takes for the next request, before a call of another user',
  on: EVERYWHERE,
  attempt: async (target) => {
    const { naive } = target.upstreams
    const [eve, ada] = [await target.user(), await target.user()]
    const parameters = { type: 'object', properties: { text: { type: 'string' } } }
    const meta = { name: 'posts', description: 'Posts a text.', parameters }
    const posts = await freshSkill(
      target,
      { endpoint: `${naive.url}/posts`, method: 'POST' },
      { meta },
    )
    const reads = await freshSkill(target, { endpoint: `${naive.url}/reads`, method: 'GET' })
    const planted = await target.call(eve.key, callText(posts, { text: 'GET /smuggled HTTP/1.1' }))
    const read = await target.call(ada.key, callText(reads))
    return { planted: planted.text, read: read.text }
  },
  judge: ({ planted, read }) => {
    if (!planted.includes('clean')) return `the body was not sent: ${planted.slice(0, 120)}`
    return read.includes('clean') ? undefined : `the other user was answered ${read.slice(0, 120)}`
  },
  held: { planted: '{"answer":"clean"}', read: '{"answer":"clean"}' },
  broken: [
    { planted: '{"answer":"clean"}', read: '{"answer":"poison"}' },
    { planted: '{"code":"upstream_failed"}', read: '{"answer":"clean"}' },
  ],
})
