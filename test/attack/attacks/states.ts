/** The state of an input round, sent again and again: one confirmation of a user must serve one call. */
import { stringOf } from '../../e2e/fields.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { answerOf } from '../hostile-upstreams.ts'
import { freshId, freshSkill } from '../target.ts'

const TIMES = 8

export const STATE_ATTACK = attack({
  name: 'state-many-times',
  tried: `one confirmed requestState in ${TIMES} calls at once, and once more`,
  on: EVERYWHERE,
  attempt: async (target) => {
    const { scripted } = target.upstreams
    const user = await target.user()
    const path = `/ask-${freshId()}`
    let carriedOut = 0
    scripted.says(path, (request) => {
      const isConfirmed = request.includes('sure')
      if (isConfirmed) carriedOut += 1
      return answerOf('application/json', isConfirmed ? DONE : QUESTION)
    })
    const body = { answers: '{{input.responses}}' }
    const config = { endpoint: scripted.url + path, method: 'POST', body, response: { as: 'mcp' } }
    const skill = await freshSkill(target, config)
    const ask = (input: object) => target.call(user.key, JSON.stringify({ skill, input }))
    const capabilities = { elicitation: {} }
    const asked = await ask({ capabilities })
    const state = stringOf(asked.json(), 'requestState')
    const responses = { ok: { action: 'accept', content: { answer: 'sure' } } }
    const confirmed = { capabilities, state, responses }
    const all = await Promise.all(Array.from({ length: TIMES }, () => ask(confirmed)))
    all.push(await ask(confirmed))
    const served = all.filter(({ status }) => status === 200).length
    const { credits } = await target.credits(user.uid)
    return { carriedOut, served, credits }
  },
  judge: ({ carriedOut, credits, served }) => {
    if (served === 0) return 'the confirmed call was not served'
    if (carriedOut !== 1) return `one confirmation was carried out ${carriedOut} times`
    return credits === 99 ? undefined : `one call of 1 credit left ${credits} of 100`
  },
  held: { carriedOut: 1, served: 1, credits: 99 },
  broken: [
    { carriedOut: 8, served: 8, credits: 92 },
    { carriedOut: 1, served: 1, credits: 92 },
    { carriedOut: 0, served: 0, credits: 100 },
  ],
})

const DONE = JSON.stringify({ content: [{ type: 'text', text: 'Done.' }] })
const QUESTION = JSON.stringify({
  resultType: 'input_required',
  requestState: 'step-1',
  inputRequests: {
    ok: {
      method: 'elicitation/create',
      params: {
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: { answer: { type: 'string' } } },
      },
    },
  },
})
