/**
 * What an agent must get from a server through the gateway. Every check can fail. What a server or
 * an agent has no words for is reported with the reason; where an agent then gets a refusal, the
 * refusal is checked, and that it is free.
 */
import { isDeepStrictEqual } from 'node:util'
import { judge, must, type Outcome, type Row, reasonOf } from '../clients/checks.ts'
import { startLosingProxy } from '../e2e/losing-proxy.ts'
import { until, untilTrue } from '../e2e/wait.ts'
import { type Agent, ANSWER, type TestedAgent } from './agents.ts'
import type { Gateway, User } from './gateway.ts'
import type { Missing, Question, TestedServer, Use } from './tested-server.ts'
import type { Posted, WatchingProxy } from './watching-proxy.ts'

export const CHECKS = [
  'list',
  'call',
  'at once',
  'structured',
  'error',
  'progress',
  'question',
  'cancellation',
  'lost session',
  'lost answer',
] as const
type Check = (typeof CHECKS)[number]

/** One agent and one server. */
type Pair = {
  readonly server: TestedServer
  readonly proxy: WatchingProxy
  readonly tested: TestedAgent
  readonly agent: Agent
  readonly user: User
}

const RUN: { readonly [check in Check]: (pair: Pair) => Promise<Outcome> } = {
  list: (pair) => judge(() => lists(pair)),
  call: (pair) => judge(() => calls(pair)),
  'at once': (pair) => judge(() => callsAtOnce(pair)),
  structured: checkStructured,
  error: ({ server, ...pair }) => has(server.plan.error, (use) => fails({ server, ...pair }, use)),
  progress: checkProgress,
  question: checkQuestion,
  cancellation: (pair) => has(pair.server.plan.wait, (use) => cancels(pair, use)),
  'lost session': checkLostSession,
  'lost answer': (pair) => judge(() => losesAnswers(pair)),
}

/** For one server at a time, since the checks count what passes the proxy. */
export async function checkPair(
  gateway: Gateway,
  { proxy, server, tested }: Pick<Pair, 'proxy' | 'server' | 'tested'>,
): Promise<Row> {
  const startedMs = performance.now()
  const outcomes = new Map<string, Outcome>()
  let agent: Agent | undefined
  try {
    const user = await gateway.newUser(server, `${server.prefix} ${tested.name}`.slice(0, 40))
    agent = await tested.connect(user)
    for (const check of CHECKS) {
      outcomes.set(check, await RUN[check]({ server, proxy, tested, agent, user }))
    }
  } catch (cause) {
    for (const check of CHECKS) {
      if (!outcomes.has(check)) outcomes.set(check, { kind: 'failed', why: reasonOf(cause) })
    }
  } finally {
    await agent?.close().catch(() => undefined)
  }
  const name = `${server.name} ← ${tested.name}`
  return { name, outcomes, tookMs: performance.now() - startedMs }
}

function has<Found extends object>(
  planned: Found | Missing,
  check: (use: Found) => Promise<string>,
): Promise<Outcome> {
  return 'why' in planned
    ? Promise.resolve({ kind: 'none', why: planned.why })
    : judge(() => check(planned))
}

const toName = ({ server }: Pair, tool: string) => `sg_${server.prefix}_${tool}`

async function lists(pair: Pair): Promise<string> {
  const names = await pair.agent.toolNames()
  const { call, error, progress, question, structured, wait } = pair.server.plan
  const planned = [call, error, progress, question, structured, wait]
  const missing = planned
    .flatMap((use) => ('why' in use ? [] : [toName(pair, use.tool)]))
    .filter((name) => !names.includes(name))
  must(missing.length === 0, `no ${missing.join(', ')} among ${names.join(', ')}`)
  return ''
}

/** Calls, and answers what it cost and what the gateway posted of it. */
async function callOf(
  pair: Pair,
  use: Pick<Use, 'args' | 'tool'>,
  options: Parameters<Agent['call']>[2] = {},
) {
  const { agent, proxy, user } = pair
  const before = await user.credits()
  const seen = proxy.posted.length
  const reply = await agent.call(toName(pair, use.tool), use.args, options)
  const cost = before - (await user.credits())
  return { reply, cost, calls: callsSince(proxy, seen) }
}

function callsSince({ posted }: WatchingProxy, seen: number): readonly Posted[] {
  return posted.slice(seen).filter(({ method }) => method === 'tools/call')
}

function mustBe({ reply, cost }: Awaited<ReturnType<typeof callOf>>, says: string): void {
  must(!reply.isError && reply.text.includes(says), `answered ${reply.text}`)
  must(cost === 1, `cost ${cost} credits`)
}

async function calls(pair: Pair): Promise<string> {
  const { call } = pair.server.plan
  const done = await callOf(pair, call)
  mustBe(done, call.says)
  const [posted] = done.calls
  must(done.calls.length === 1, `ran ${done.calls.length} times`)
  must(posted?.revision === pair.server.revision, `the gateway speaks ${posted?.revision}`)
  return ''
}

/** Different calls of one user at once, so that each must get its own answer. */
async function callsAtOnce(pair: Pair): Promise<string> {
  const { agent, server, user } = pair
  const { call, error, structured } = server.plan
  const before = await user.credits()
  const uses = [call, error, structured, call, error, structured].flatMap((use) =>
    'why' in use ? [] : [{ ...use, fails: use === error }],
  )
  const told = await Promise.all(
    uses.map(async ({ args, fails, says, tool }) => {
      const { isError, text } = await agent.call(toName(pair, tool), args)
      return isError === fails && text.includes(says) ? [] : [`${tool}: ${text}`]
    }),
  )
  must(told.flat().length === 0, `answered ${told.flat().join(' · ')}`)
  const cost = before - (await user.credits())
  const expected = uses.filter(({ fails }) => !fails).length
  must(cost === expected, `cost ${cost} credits, not ${expected}`)
  return ''
}

/** Revisions before 2025-06-18 have text alone. */
async function checkStructured(pair: Pair): Promise<Outcome> {
  const { structured } = pair.server.plan
  if (pair.tested.revision >= '2025-06-18') {
    return has(structured, async ({ is, ...use }) => {
      const done = await callOf(pair, use)
      mustBe(done, use.says)
      const got = done.reply.structured
      must(isDeepStrictEqual(got, is), `structured ${JSON.stringify(got)}`)
      return ''
    })
  }
  return has(structured, async (use) => {
    const done = await callOf(pair, use)
    mustBe(done, use.says)
    must(done.reply.structured === undefined, 'has what its revision does not know')
    return 'as text'
  })
}

async function fails(pair: Pair, use: Use): Promise<string> {
  const { cost, reply } = await callOf(pair, use)
  must(reply.isError && reply.text.includes(use.says), `answered ${reply.text}`)
  must(cost === 0, `cost ${cost} credits`)
  return ''
}

async function checkProgress(pair: Pair): Promise<Outcome> {
  const { progress } = pair.server.plan
  if ('why' in progress) return { kind: 'none', why: progress.why }
  let count = 0
  const onProgress = ({ total }: { readonly total?: number | undefined }) => {
    if (total === progress.total) count += 1
  }
  const outcome = await judge(async () => {
    mustBe(await callOf(pair, progress, { onProgress }), progress.says)
    return `${count}×`
  })
  if (outcome.kind === 'failed' || count > 0) return outcome
  return pair.tested.revision === '2024-11-05'
    ? { kind: 'none', why: 'not over HTTP+SSE' }
    : { kind: 'failed', why: 'no notification of progress of the server' }
}

const WITHOUT_QUESTIONS = ['2024-11-05', '2025-03-26']
const MODERN = '2026-07-28'

async function checkQuestion(pair: Pair): Promise<Outcome> {
  const { question } = pair.server.plan
  if ('why' in question) return { kind: 'none', why: question.why }
  const reason = question.isLost ?? findUnaskable(pair)
  if (reason === undefined) return judge(() => asks(pair, question))
  const outcome = await judge(() => refusesToAsk(pair, question))
  return outcome.kind === 'passed' ? { kind: 'none', why: `refused: ${reason}` } : outcome
}

/** Why the question of a server that asks in time does not reach the agent. */
function findUnaskable({ server, tested }: Pair): string | undefined {
  if (WITHOUT_QUESTIONS.includes(tested.revision)) return "not in the agent's revision"
  return tested.revision === MODERN && server.revision !== MODERN
    ? 'not while a call runs'
    : undefined
}

async function asks(pair: Pair, { asks: message, ...use }: Question): Promise<string> {
  const before = pair.agent.questions.length
  mustBe(await callOf(pair, use), ANSWER.content.name)
  const asked = pair.agent.questions.slice(before)
  must(isDeepStrictEqual(asked, [message]), `asked ${JSON.stringify(asked)}`)
  return ''
}

/** The agent reads that it cannot be asked, or that its client cannot. */
async function refusesToAsk(pair: Pair, { refuses, ...use }: Question): Promise<string> {
  const { cost, reply } = await callOf(pair, use)
  must(reply.isError && (refuses ?? /elicit|asked/i).test(reply.text), `answered ${reply.text}`)
  must(cost === 0, `cost ${cost} credits`)
  return ''
}

/** A server learns of it by a notification, or since 2026-07-28 by the end of the connection. */
async function cancels(pair: Pair, use: Pick<Use, 'args' | 'tool'>): Promise<string> {
  const { agent, proxy, server, user } = pair
  const before = await user.credits()
  const seen = proxy.posted.length
  const cancel = new AbortController()
  let ended: string | undefined
  const call = agent
    .call(toName(pair, use.tool), use.args, { signal: cancel.signal })
    .then(({ text }) => `answered ${text}`, reasonOf)
    .then((outcome) => {
      ended = outcome
    })
  const posted = await until(() => callsSince(proxy, seen)[0] ?? ended)
  if (typeof posted === 'string') throw new Error(posted)
  cancel.abort()
  await call
  must(ended?.startsWith('answered') !== true, ended ?? '')
  const isTold = () =>
    server.revision === MODERN
      ? posted.isLeft
      : proxy.posted.some(
          ({ method, params }) =>
            method === 'notifications/cancelled' && params['requestId'] === posted.id,
        )
  await untilTrue(isTold, CANCEL_MS_MAX)
  const cost = before - (await user.credits())
  must(cost === 0, `cost ${cost} credits`)
  return ''
}

/** Ends a wait for what never comes, and measures nothing. A call would have ended before. */
const CANCEL_MS_MAX = 30_000

async function checkLostSession(pair: Pair): Promise<Outcome> {
  const { proxy, server } = pair
  const { call } = server.plan
  if (proxy.forgetSessions() === 0) return { kind: 'none', why: 'keeps no session' }
  return judge(async () => {
    mustBe(await callOf(pair, call), call.says)
    mustBe(await callOf(pair, call), call.says)
    return ''
  })
}

/** Between server and gateway; and between gateway and agent. */
async function losesAnswers(pair: Pair): Promise<string> {
  const { proxy, server, tested } = pair
  const { call, isIdempotent } = server.plan
  proxy.loseNextAnswer()
  const lost = await callOf(pair, call)
  // A call is sent again only if the tool says that this does no harm.
  const runs = isIdempotent ? 2 : 1
  must(lost.calls.length === runs, `the lost call ran ${lost.calls.length} times`)
  if (isIdempotent) mustBe(lost, call.says)
  else mustTellOfLoss(lost)
  // An answer that comes over a stream of its own ends with the stream.
  if (tested.revision === '2024-11-05') return isIdempotent ? 'sent again' : 'refunded'
  await repeatsOnce(pair)
  return ''
}

function mustTellOfLoss({ cost, reply }: Awaited<ReturnType<typeof callOf>>): void {
  must(reply.isError && /may have done the work/.test(reply.text), `after the loss: ${reply.text}`)
  must(cost === 0, `the lost call cost ${cost} credits`)
}

async function repeatsOnce(pair: Pair): Promise<void> {
  const { proxy, server, tested, user } = pair
  const { call } = server.plan
  const { origin, pathname } = new URL(user.mcp)
  const losing = await startLosingProxy(origin, 'the answer begins')
  const agent = await tested.connect({ ...user, mcp: `${losing.origin}${pathname}` })
  try {
    const before = await user.credits()
    const seen = proxy.posted.length
    const send = () => agent.call(toName(pair, call.tool), call.args, { key: 'key-1' })
    const first = await send().catch(() => undefined)
    must(first === undefined, `the answer was not lost: ${first?.text}`)
    const { isError, isReplayed, text } = await send()
    must(!isError && text.includes(call.says), `the repeat answered ${text}`)
    must(isReplayed, 'the repeat ran again')
    const runs = callsSince(proxy, seen).length
    must(runs === 1, `ran ${runs} times under one key`)
    const cost = before - (await user.credits())
    must(cost === 1, `cost ${cost} credits under one key`)
  } finally {
    await agent.close().catch(() => undefined)
    await losing.stop()
  }
}
