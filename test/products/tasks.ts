/** A call of Claude Code that becomes a task: one that completes, and one that its model stops. */
import { balanceOf } from '../e2e/admin.ts'
import { bearer, send } from '../e2e/http.ts'
import type { Twin } from '../e2e/twin.ts'
import { type Check, check } from './check.ts'
import type { Turn } from './model.ts'
import { FILM, PRICE, type Seen, TOOL_USE_ID, withStage } from './task-stage.ts'

/** The twin's user starts with these. */
const CREDITS = 100
/** One poll could be the first, which clients send at once. */
const POLLS_MIN = 2

/** Answers the checks of both; a run that stops half way is one failed check. */
export async function checkTasks(programs: string): Promise<readonly Check[]> {
  const checks: Check[] = []
  for (const [says, run] of [
    ['completes a task', checkCompleted],
    ['stops a task', checkStopped],
  ] as const) {
    try {
      checks.push(...(await run(programs)))
    } catch (cause) {
      checks.push({ says, wrong: cause instanceof Error ? cause.message : String(cause) })
    }
  }
  return checks
}

function checkCompleted(programs: string): Promise<readonly Check[]> {
  const scene = {
    mayAnswer: (seen: Seen) => pollsIn(seen).length >= POLLS_MIN,
    reply: () => ({ text: 'Done.' }),
  }
  return withStage(programs, scene, async (stage) => {
    await stage.wait('the model is told the result', () => turnWith(stage, FILM) !== undefined)
    await stage.close()
    const ids = new Set(pollsIn(stage).map(({ name }) => name))
    const [id = 'no id'] = ids
    const told = turnWith(stage, TOOL_USE_ID)?.heard ?? 'nothing'
    const result = turnWith(stage, FILM)?.heard ?? 'nothing'
    return [
      check('a slow call goes on as a task, and the model is told so', told, told.includes(id)),
      check('polls this one task until it ends', [...ids].join(), ids.size === 1),
      check('hands the result to the model in a later turn', result, result !== told),
      await checkCharge(stage.twin, 'the task is charged once', {
        outcome: 'settled',
        charged: PRICE,
      }),
    ]
  })
}

function checkStopped(programs: string): Promise<readonly Check[]> {
  const scene = {
    mayAnswer: () => false,
    reply: ({ heard }: Turn) => {
      const id = /task_id \\"(\w+)/.exec(heard)?.[1]
      if (id === undefined || !heard.includes(TOOL_USE_ID)) return { text: 'Done.' }
      return { call: { id: 'toolu_stop', name: 'TaskStop', input: { task_id: id } } }
    },
  }
  return withStage(programs, scene, async (stage) => {
    await stage.wait('the task is stopped', () => turnWith(stage, 'toolu_stop') !== undefined)
    // It may cancel a task more than once.
    await stage.wait('the task is cancelled', () => areAnswered(cancelsIn(stage)))
    await stage.close()
    const cancelled = cancelsIn(stage).map(({ name }) => name)
    const told = turnWith(stage, TOOL_USE_ID)?.heard ?? 'nothing'
    const isOurs = cancelled.every((id) => told.includes(id))
    return [
      check('TaskStop cancels the task', `${cancelled}: ${told}`, isOurs),
      await checkCharge(stage.twin, 'the cancelled task is refunded once', {
        outcome: 'refunded',
        reason: 'cancelled',
        charged: 0,
      }),
    ]
  })
}

const pollsIn = ({ requests }: Seen) => requests.filter(({ method }) => method === 'tasks/get')
const cancelsIn = ({ requests }: Seen) => requests.filter(({ method }) => method === 'tasks/cancel')
const turnWith = ({ turns }: Seen, text: string) => turns.find(({ heard }) => heard.includes(text))
const areAnswered = (requests: Seen['requests']) =>
  requests.length > 0 && requests.every(({ isAnswered }) => isAnswered)

/** The ledger has one call, as `expected`; the user's credits are less by what it cost, and none are held. */
async function checkCharge(
  twin: Twin,
  says: string,
  expected: { readonly outcome: string; readonly reason?: string; readonly charged: number },
): Promise<Check> {
  const answer = await send(`${twin.admin}/calls?user=${twin.uid}`, {
    headers: bearer(twin.internalApiSecret),
  })
  const { calls } = answer.json()
  const balance = await balanceOf(twin, twin.uid)
  const found = Array.isArray(calls) ? calls.map(Object) : []
  const [call] = found
  const fits = Object.entries(expected).every(([name, value]) => call?.[name] === value)
  const isPaid = balance.credits === CREDITS - expected.charged && balance.onHold === 0
  return check(
    says,
    `${JSON.stringify(balance)} ${answer.text}`,
    found.length === 1 && fits && isPaid,
  )
}
