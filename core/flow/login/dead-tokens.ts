/**
 * Remembers refresh tokens that were refused. Some clients send a dead token hundreds of times
 * within seconds; the store is read for the first one only. The memory is of one process. A user
 * who is enabled again within DEAD_TOKEN_KEPT_MS of a refusal has to wait so long or log in anew.
 */
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { err } from '../../errors.ts'
import { DEAD_TOKEN_KEPT_MS, DEAD_TOKENS_KEPT_MAX } from '../../login/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import { INVALID_GRANT, type TokenResult } from './token-result.ts'

export type DeadTokens = {
  /**
   * Returns what `ask` returns; INVALID_GRANT without asking if it returned that for the same
   * `sent` within DEAD_TOKEN_KEPT_MS. Callers with one `sent` at once wait for the first of them.
   * `sent`: hash of the token and of its client.
   */
  answer(sent: string, ask: () => Promise<TokenResult>): Promise<TokenResult>
}

export function makeDeadTokens({ clock }: Pick<Ports, 'clock'>): DeadTokens {
  const deadUntilMs = new Map<string, number>()
  const asking = new Map<string, Promise<unknown>>()
  const isDead = (sent: string) => clock.nowMs() < (deadUntilMs.get(sent) ?? 0)
  const askAndNote = async (sent: string, ask: () => Promise<TokenResult>) => {
    const result = await ask()
    if (!result.ok && result.error.error === INVALID_GRANT.error) {
      keepYoungest(deadUntilMs, sent, clock.nowMs() + DEAD_TOKEN_KEPT_MS, DEAD_TOKENS_KEPT_MAX)
    }
    return result
  }
  return {
    async answer(sent, ask) {
      if (isDead(sent)) return err(INVALID_GRANT)
      const first = asking.get(sent)
      if (first !== undefined) {
        await first
        return isDead(sent) ? err(INVALID_GRANT) : askAndNote(sent, ask)
      }
      const result = askAndNote(sent, ask)
      const settled = result.catch(() => {}).finally(() => asking.delete(sent))
      asking.set(sent, settled)
      return result
    },
  }
}
