import { beforeEach, describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import { grantCredits } from '../../../../core/flow/users/grant-credits.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { type CallOptions, execute, problemIn, questionsIn, run, successOf } from '../caller.ts'
import { keyFor, makeWorld, okOf, type World } from '../world.ts'

const ASK = { method: 'elicitation/create', params: { message: 'To whom?' } }
const CAN = { elicitation: {} }
const DONE = JSON.stringify({ content: [{ type: 'text', text: 'sent' }] })

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada', { credits: 10 })
  await world.skill('sg_send', { price: 2, config: SENDING })
})

const SENDING: JsonObject = {
  method: 'POST',
  body: {
    args: '{{args.what}}',
    responses: '{{input.responses}}',
    state: '{{input.state}}',
    can: '{{input.capabilities}}',
  },
  response: { as: 'mcp' },
}

function asks(more: JsonObject = {}): void {
  const body = { resultType: 'input_required', inputRequests: { to: ASK }, ...more }
  world.upstream.next({ kind: 'answer', body: JSON.stringify(body) })
}

function completes(): void {
  world.upstream.next({ kind: 'answer', body: DONE })
}

/** Runs a first round that returns a state; gives the input of the second round. */
async function stateFrom(calling: CallOptions = {}, key = ada): Promise<string> {
  asks({ requestState: 'round 1' })
  const answer = await run(world, key, 'sg_send', { input: { capabilities: CAN }, ...calling })
  return questionsIn(answer).requestState ?? ''
}

function sentBody(nth: number): unknown {
  return JSON.parse(String(world.upstream.requests[nth]?.body ?? 'null'))
}

describe('an upstream that asks for input', () => {
  test('has its questions passed on, and nothing is charged', async () => {
    asks()
    const answer = await run(world, ada, 'sg_send', { input: { capabilities: CAN } })
    expect(answer).toEqual({
      kind: 'input',
      body: {
        callId: expect.stringMatching(/^[A-Za-z0-9_-]{16,64}$/),
        skillId: 'sg_send',
        source: 'official',
        resultType: 'input_required',
        inputRequests: { to: ASK },
        credits: { charged: 2, refunded: 2, remaining: 10 },
        durationMs: 0,
      },
    })
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
    const { callId } = questionsIn(answer)
    expect(await world.ports.ledger.find({ uid: 'ada', callId })).toMatchObject({
      state: 'refunded',
      reason: 'input_required',
    })
    expect(world.log.calls).toMatchObject([{ outcome: 'refunded', code: undefined }])
  })

  test('gets the answers in a second call, and only that one is charged', async () => {
    const state = await stateFrom({ args: { what: 'a card' } })
    completes()
    const responses = { to: { action: 'accept', content: { name: 'Eve' } } }
    const second = await run(world, ada, 'sg_send', {
      args: { what: 'a card' },
      input: { responses, state, capabilities: CAN },
    })
    expect(successOf(second).credits).toEqual({ charged: 2, refunded: 0, remaining: 8 })
    expect(sentBody(0)).toEqual({ args: 'a card', can: CAN })
    expect(sentBody(1)).toEqual({ args: 'a card', responses, state: 'round 1', can: CAN })
    expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
  })

  test('leaves an outcome for a free skill, too', async () => {
    await world.skill('sg_free', { price: 0, config: SENDING })
    asks()
    const answer = await run(world, ada, 'sg_free', { input: { capabilities: CAN } })
    expect(questionsIn(answer).credits).toEqual({ charged: 0, refunded: 0, remaining: 10 })
    expect(world.log.calls).toMatchObject([{ outcome: 'free' }])
  })

  test('without a state gets none back', async () => {
    asks()
    const answer = await run(world, ada, 'sg_send', { input: { capabilities: CAN } })
    expect(questionsIn(answer)).not.toHaveProperty('requestState')
  })

  // Holds: INPUT-6
  test('may ask round after round, and each round is free', async () => {
    const state = await stateFrom()
    asks({ requestState: 'round 2' })
    const input = { responses: { to: {} }, state, capabilities: CAN }
    const again = await run(world, ada, 'sg_send', { input })
    expect(questionsIn(again).requestState).not.toBe(state)
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
  })

  test('costs nothing when the refund cannot be written, since the sweep makes it', async () => {
    asks()
    const { ledger } = world.ports
    const down = { ...ledger, decide: () => Promise.reject(new Fault('store_unavailable', 'down')) }
    const input = { capabilities: CAN }
    const answer = await run(world, ada, 'sg_send', { input, ledger: down })
    expect(questionsIn(answer).credits.remaining).toBe(10)
    expect(world.log.notes.map(({ event }) => event)).toContain('refund-delayed')
  })

  test('is refused and refunded when the client cannot be asked', async () => {
    const requests = { a: ASK, b: { method: 'sampling/createMessage', params: {} } }
    asks({ inputRequests: requests })
    const problem = problemIn(await run(world, ada, 'sg_send', { input: { capabilities: CAN } }))
    expect(problem).toMatchObject({
      status: 400,
      code: 'client_capability_missing',
      requiredCapabilities: { sampling: {} },
      credits: { charged: 2, refunded: 2, remaining: 10 },
    })
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
  })

  test('is refused for a caller that declares no client capabilities', async () => {
    asks()
    const problem = problemIn(await run(world, ada, 'sg_send'))
    expect(problem).toMatchObject({ requiredCapabilities: { elicitation: {} } })
  })
})

describe('the rounds under one Idempotency-Key', () => {
  const KEYED = { idempotencyKey: 'order-1' }

  test('all rounds under one Idempotency-Key run, and the last answer is kept', async () => {
    const state = await stateFrom(KEYED)
    completes()
    const last = { ...KEYED, input: { responses: { to: {} }, state, capabilities: CAN } }
    const first = successOf(await run(world, ada, 'sg_send', last))
    const again = await execute(world, ada, 'sg_send', last)
    expect(again.replayed).toBe(true)
    expect(successOf(again.answer)).toEqual(first)
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
  })

  test('a repeated round under one Idempotency-Key asks again, for free', async () => {
    await stateFrom(KEYED)
    await stateFrom(KEYED)
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
  })

  test('other input under one Idempotency-Key after the last round gets 409', async () => {
    const state = await stateFrom(KEYED)
    completes()
    const input = { responses: { to: {} }, state, capabilities: CAN }
    await run(world, ada, 'sg_send', { ...KEYED, input })
    const other = { ...input, responses: { to: { action: 'decline' } } }
    const problem = problemIn(await run(world, ada, 'sg_send', { ...KEYED, input: other }))
    expect(problem.code).toBe('conflict')
    expect(world.upstream.requests).toHaveLength(2)
  })
})

describe('a state', () => {
  async function sentBack(state: string, calling: CallOptions = {}, key = ada, skill = 'sg_send') {
    const requests = world.upstream.requests.length
    const input = { state, capabilities: CAN }
    const answer = await run(world, key, skill, { input, ...calling })
    return { answer, wasSent: world.upstream.requests.length > requests }
  }

  async function expectInvalid(...back: Parameters<typeof sentBack>) {
    const { answer, wasSent } = await sentBack(...back)
    expect(problemIn(answer)).toMatchObject({ status: 400, code: 'input_state_invalid' })
    expect(problemIn(answer)).not.toHaveProperty('credits')
    expect(wasSent).toBe(false)
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
  }

  test('does not show the text of the upstream', async () => {
    const state = await stateFrom()
    expect(state).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
    expect(atob(state)).not.toContain('round 1')
  })

  // Holds: INPUT-4
  test('that was changed anywhere is refused before money moves', async () => {
    const state = await stateFrom()
    for (const at of [0, 4, 20, state.length - 4]) {
      const other = state[at] === 'A' ? 'B' : 'A'
      await expectInvalid(state.slice(0, at) + other + state.slice(at + 1))
    }
  })

  test.each([[''], ['round 1'], ['AAAA'], ['!'], ['=']])(
    'that reads %j is refused',
    async (state) => {
      await expectInvalid(state)
    },
  )

  // Holds: INPUT-5
  test('of another user or another key is refused', async () => {
    const state = await stateFrom()
    await expectInvalid(state, {}, await world.user('eve', { credits: 10 }))
    await expectInvalid(state, {}, await keyFor(world, 'ada'))
  })

  // Holds: INPUT-5
  test('of another tool is refused', async () => {
    await world.skill('sg_other', { price: 2, config: SENDING })
    await expectInvalid(await stateFrom(), {}, ada, 'sg_other')
  })

  // Holds: INPUT-5
  test('is refused with other arguments, and opens with the same in another order', async () => {
    const state = await stateFrom({ args: { what: 'a', n: { x: 1, y: [2, 3] } } })
    await expectInvalid(state, { args: { what: 'b', n: { x: 1, y: [2, 3] } } })
    await expectInvalid(state, { args: { what: 'a', n: { x: 1, y: [3, 2] } } })
    completes()
    const { answer } = await sentBack(state, { args: { n: { y: [2, 3], x: 1 }, what: 'a' } })
    expect(successOf(answer).credits.charged).toBe(2)
  })

  // Holds: INPUT-5
  test('opens for 15 minutes, and no longer at their end', async () => {
    const state = await stateFrom()
    await world.clock.advance(899_999)
    completes()
    expect(successOf((await sentBack(state)).answer).credits.charged).toBe(2)
    world = makeWorld()
    ada = await world.user('ada', { credits: 10 })
    await world.skill('sg_send', { price: 2, config: SENDING })
    const late = await stateFrom()
    await world.clock.advance(900_000)
    await expectInvalid(late)
  })

  // Holds: INPUT-5
  test('that comes back eight times at once serves one call', async () => {
    const state = await stateFrom()
    completes()
    const all = await Promise.all(Array.from({ length: 8 }, () => sentBack(state)))
    const served = all.filter(({ answer }) => answer.kind === 'success')
    const refused = all.flatMap(({ answer }) => (answer.kind === 'problem' ? [answer.body] : []))
    expect(served).toHaveLength(1)
    expect(refused).toHaveLength(7)
    for (const { code, detail } of refused) {
      expect(code).toBe('input_state_invalid')
      expect(detail).toContain('was used before, and it is good for one call')
    }
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 8, held: 0 })
  })

  test('is used once its call was sent, however that ended', async () => {
    const failed = await stateFrom()
    world.upstream.next({ kind: 'answer', status: 500 })
    await sentBack(failed)
    await expectInvalid(failed)
    const asked = await stateFrom()
    asks({ requestState: 'round 2' })
    const next = questionsIn((await sentBack(asked)).answer).requestState ?? ''
    await expectInvalid(asked)
    completes()
    expect(successOf((await sentBack(next)).answer).credits.charged).toBe(2)
  })

  test('may come again after a call of which nothing was sent', async () => {
    const poor = await world.user('poor', { credits: 2 })
    const state = await stateFrom({}, poor)
    await grant('poor', 'g1', -2)
    expect(problemIn((await sentBack(state, {}, poor)).answer).code).toBe('insufficient_credits')
    await grant('poor', 'g2', 2)
    completes()
    expect(successOf((await sentBack(state, {}, poor)).answer).credits.charged).toBe(2)
  })

  test('that the gateway spells in base64 is the same state in any spelling', async () => {
    const state = await stateFrom()
    const spelled = otherSpelling(state)
    completes()
    await sentBack(state)
    expect(problemIn((await sentBack(spelled)).answer).code).toBe('input_state_invalid')
    expect(world.upstream.requests).toHaveLength(2)
  })

  test('counts in the minute as any call does', async () => {
    const key = await world.user('bob', { credits: 10, tier: 'small' })
    for (let nth = 0; nth < 3; nth += 1) await sentBack('AAAA', {}, key)
    expect(problemIn((await sentBack('AAAA', {}, key)).answer).code).toBe('rate_limited')
  })
})

async function grant(uid: string, grantId: string, amount: number): Promise<void> {
  okOf(await grantCredits(world.ports, uid, { grantId, amount, reason: 'test' }))
}

/** The same bytes, where the last character has bits to spare. */
function otherSpelling(text: string): string {
  const spare = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const at = text.length - spare - 1
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = ALPHABET[ALPHABET.indexOf(text[at] ?? '') + (spare === 0 ? 0 : 1)] ?? ''
  return text.slice(0, at) + last + text.slice(at + 1)
}

describe('input in headers and query', () => {
  beforeEach(async () => {
    const config = {
      ...SENDING,
      method: 'GET',
      body: null,
      headers: { 'x-state': '{{input.state}}' },
      query: { r: '{{input.responses}}', v: 'caps={{input.capabilities}}' },
    }
    await world.skill('sg_get', { price: 2, config })
  })

  test('is text, and empty where there is none', async () => {
    completes()
    await run(world, ada, 'sg_get')
    expect(world.upstream.requests[0]?.url).toBe('https://api.example/sg_get?v=caps%3D')
    expect(world.upstream.requests[0]?.headers).not.toHaveProperty('x-state')
    completes()
    await run(world, ada, 'sg_get', { input: { responses: { a: { b: 1 } }, capabilities: CAN } })
    expect(world.upstream.requests[1]?.url).toBe(
      'https://api.example/sg_get?r=%7B%22a%22%3A%7B%22b%22%3A1%7D%7D&v=caps%3D%7B%22elicitation%22%3A%7B%7D%7D',
    )
  })

  test('is refused before money moves when no header can hold it', async () => {
    asks({ requestState: 'ü' })
    const asked = await run(world, ada, 'sg_get', { input: { capabilities: CAN } })
    const state = questionsIn(asked).requestState ?? ''
    const problem = problemIn(await run(world, ada, 'sg_get', { input: { state } }))
    expect(problem).toMatchObject({ code: 'invalid_arguments' })
    expect(problem.errors).toEqual([
      {
        pointer: '',
        message:
          'input.state goes into the header x-state, which takes 8000 characters of visible ASCII on one line, no space at its ends',
      },
    ])
  })
})
