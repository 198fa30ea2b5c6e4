/**
 * What may happen to a few calls and grants of one user, and a plain model of what it does to their
 * credits, without stores, retries or races. For the properties of the ledger contract.
 */
import fc from 'fast-check'

export const CALLS = ['c0', 'c1', 'c2', 'c3'] as const

export type Step =
  | { readonly kind: 'grant'; readonly grantId: string; readonly amount: number }
  | { readonly kind: 'hold'; readonly callId: string; readonly amount: number }
  | { readonly kind: 'settle' | 'refund' | 'release' | 'void'; readonly callId: string }

/**
 * The amount of a call or a grant follows from its id, so that a repeated step repeats the amount.
 */
export function stepOf(): fc.Arbitrary<Step> {
  const callId = fc.constantFrom(...CALLS)
  return fc.oneof(
    fc.constantFrom(...Object.keys(GRANTS)).map((grantId) => ({
      kind: 'grant' as const,
      grantId,
      amount: GRANTS[grantId] ?? 0,
    })),
    callId.map((id) => ({ kind: 'hold' as const, callId: id, amount: amountOf(id) })),
    fc.tuple(fc.constantFrom('settle', 'refund', 'release', 'void'), callId).map(([kind, id]) => ({
      kind,
      callId: id,
    })),
  )
}

/** Grants and corrections by id. Only `debt` may leave a balance below zero. */
const GRANTS: Amounts = { g0: 700, g1: 55, k0: -310, k1: -44, debt: -600 }
export const DEBT = 'debt'
export const DEBT_MIN = -1_000

/** The lowest balance that this grant may leave. */
export function floorOf(grantId: string): number {
  return grantId === DEBT ? DEBT_MIN : 0
}

export function amountOf(callId: string): number {
  return { c0: 1, c1: 300, c2: 301, c3: 44 }[callId] ?? 0
}

export type Amounts = Record<string, number>
export type Model = {
  credits: number
  readonly holds: Amounts
  readonly granted: Amounts
  /** Calls that are settled and released. */
  readonly paid: Amounts
  readonly outcomes: Record<string, 'settled' | 'refunded'>
}

export function newModel(): Model {
  return { credits: 0, holds: {}, granted: {}, paid: {}, outcomes: {} }
}

export function follow(model: Model, step: Step): void {
  switch (step.kind) {
    case 'grant':
      if (step.grantId in model.granted) return
      if (step.amount < 0 && model.credits + step.amount < floorOf(step.grantId)) return
      model.granted[step.grantId] = step.amount
      model.credits += step.amount
      return
    case 'hold':
      followHold(model, step.callId, step.amount)
      return
    case 'settle':
    case 'refund':
      if (!(step.callId in model.holds)) return
      model.outcomes[step.callId] ??= step.kind === 'settle' ? 'settled' : 'refunded'
      return
    case 'release':
      followRelease(model, step.callId)
      return
    case 'void':
      followVoid(model, step.callId)
      return
    default:
      step satisfies never
  }
}

function followHold(model: Model, callId: string, amount: number): void {
  if (callId in model.holds || callId in model.outcomes) return
  if (amount > model.credits || Object.keys(model.holds).length >= 3) return
  model.holds[callId] = amount
  model.credits -= amount
}

function followRelease(model: Model, callId: string): void {
  const amount = model.holds[callId]
  const outcome = model.outcomes[callId]
  if (amount === undefined || outcome === undefined) return
  delete model.holds[callId]
  if (outcome === 'refunded') model.credits += amount
  else model.paid[callId] = amount
}

function followVoid(model: Model, callId: string): void {
  if (model.outcomes[callId] !== 'settled') return
  model.outcomes[callId] = 'refunded'
  model.credits += model.holds[callId] ?? model.paid[callId] ?? 0
  delete model.holds[callId]
  delete model.paid[callId]
}

export function sum(amounts: Amounts): number {
  return Object.values(amounts).reduce((total, amount) => total + amount, 0)
}
