/** The rules for two readers of one answer: each violation is a sentence about our reader. */
import type { AcceptedAnswer, RefusedAnswer } from './two-readers.ts'

export type Outcome = AcceptedAnswer | RefusedAnswer

/**
 * Undefined where our reader agrees with node's or refuses. A redirect is judged by its head alone,
 * so faults of its body do not count.
 */
export function fault(method: string, ours: Outcome, nodes: Outcome): string | undefined {
  if (ours.kind === 'refused') return undefined
  if (nodes.kind === 'refused') return `taken where node refuses (${nodes.why})`
  if (ours.status !== nodes.status) return `status ${ours.status}, not ${nodes.status}`
  if (String(ours.headers) !== String(nodes.headers)) return 'other headers'
  if (ours.body !== undefined && nodes.body === undefined)
    return 'taken where node refuses the body'
  if (ours.body !== undefined && ours.body !== nodes.body) return 'other bytes'
  // Node does not know yet that the answer has no body when it asks whether one lasts until the
  // end.
  const wouldReuse = nodes.isReusable || (method === 'HEAD' && nodes.isComplete)
  if (ours.isReusable && !wouldReuse) return 'a connection kept that node would not keep'
  return undefined
}

/** The kind of this pair of answers, so that a test can check that every kind came up. */
export function sortOf(ours: Outcome, nodes: Outcome): string {
  const isRefusedByNode = nodes.kind === 'refused' || !nodes.isComplete
  if (ours.kind === 'refused') {
    return isRefusedByNode ? 'refused by both' : `refused by us alone: ${ours.why}`
  }
  if (ours.body === undefined) return 'redirect'
  return ours.isReusable ? 'taken, connection kept' : 'taken'
}
