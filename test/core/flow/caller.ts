/** Calls the execute flow as a process that may die at any of its writes to the ledger. */
import { credentialOf } from '../../../bench/lib/credential.ts'
import { runSteps } from '../../../bench/lib/run-steps.ts'
import type {
  CallTerms,
  ExecuteAnswer,
  ExecuteInput,
  ExecuteInputRequired,
  ExecuteSuccess,
  Problem,
} from '../../../core/call/execute.ts'
import { Fault } from '../../../core/errors.ts'
import type { ExecuteResponse } from '../../../core/flow/execute/execute-request.ts'
import { executeSkill } from '../../../core/flow/execute/execute-skill.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { World } from './world.ts'

export type CallOptions = {
  readonly args?: JsonObject
  readonly input?: ExecuteInput
  readonly terms?: CallTerms
  readonly gone?: AbortSignal
  readonly idempotencyKey?: string
  /** The ledger as this process reaches it. */
  readonly ledger?: Ledger
}

/** Runs the flow, without `after`. */
export function execute(
  world: World,
  authorization: string | undefined,
  skill: string,
  calling: CallOptions = {},
): Promise<ExecuteResponse> {
  const { args = {}, input, terms, idempotencyKey, ledger } = calling
  const { gone: departure = new AbortController().signal } = calling
  const ports = ledger === undefined ? world.ports : { ...world.ports, ledger }
  return executeSkill(ports, world.settings, world.caches, {
    credential: credentialOf(authorization),
    body: { skill, arguments: args, ...(input === undefined ? {} : { input }) },
    terms,
    idempotencyKey,
    gone: departure,
  })
}

/** Runs the whole call: answered, then settled. */
export async function run(
  world: World,
  authorization: string | undefined,
  skill: string,
  calling: CallOptions = {},
): Promise<ExecuteAnswer> {
  const executed = execute(world, authorization, skill, calling)
  let ended = false
  const watched = executed.finally(() => {
    ended = true
  })
  watched.catch(() => {})
  await world.clock.settle()
  while (!ended) await world.clock.advance(250)
  const { answer, after } = await watched
  await runSteps(after)
  return answer
}

export function successOf(answer: ExecuteAnswer): ExecuteSuccess {
  if (answer.kind === 'success') return answer.body
  throw new Error(`failed: ${JSON.stringify(answer.body)}`)
}

export function problemIn(answer: ExecuteAnswer): Problem {
  if (answer.kind === 'problem') return answer.body
  throw new Error(`succeeded: ${JSON.stringify(answer.body)}`)
}

export function questionsIn(answer: ExecuteAnswer): ExecuteInputRequired {
  if (answer.kind === 'input') return answer.body
  throw new Error(`asks nothing: ${JSON.stringify(answer.body)}`)
}

/**
 * The moment at which a process dies: its n-th write to the ledger, before the write or with its answer lost.
 */
export type Death = { readonly at: number; readonly when: 'before' | 'after' }

/** The ledger of a process that dies: after that none of its writes happens. */
export function mortal(ledger: Ledger, death: Death): Ledger {
  let writes = 0
  let dead = false
  const die = (): never => {
    dead = true
    throw new Fault('store_unavailable', 'this process is dead')
  }
  const write =
    <In, Out>(work: (argument: In) => Promise<Out>) =>
    async (argument: In): Promise<Out> => {
      writes += 1
      if (dead || (writes === death.at && death.when === 'before')) return die()
      const out = await work(argument)
      return writes >= death.at ? die() : out
    }
  return {
    ...ledger,
    hold: write(ledger.hold),
    decide: write(ledger.decide),
    release: write(ledger.release),
    voidSettled: write(ledger.voidSettled),
    grant: write(ledger.grant),
    find: (key) => (dead ? Promise.reject(new Error('dead')) : ledger.find(key)),
  }
}
