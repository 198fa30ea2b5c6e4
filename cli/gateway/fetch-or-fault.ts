/**
 * Sends one request of a command. Follows no redirect, and turns trouble of the network into a
 * CommandFault.
 */
import { type Invocation, isOn } from '../command/command.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { fetchAfresh } from './fetch-afresh.ts'

/** Timeout of a request; longer than the 29 seconds after which API Gateway gives up. */
const REQUEST_TIMEOUT_MS = 40_000
const GATEWAY_REMEDY =
  'Is the gateway running? skillgate doctor looks closer; skillgate profile ls names the others.'

/**
 * Returns the response, whatever its status. Throws a CommandFault with `remedy` if none comes.
 */
export async function fetchOrFault(
  call: Invocation,
  url: URL,
  init: RequestInit,
  remedy = GATEWAY_REMEDY,
): Promise<Response> {
  const { shell } = call
  const startedMs = shell.nowMs()
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  try {
    // Redirects are not followed, because one could send the key to another host.
    const signals = init.signal ? [shell.signal, timeout, init.signal] : [shell.signal, timeout]
    const signal = AbortSignal.any(signals)
    const response = await fetchAfresh(url, { redirect: 'manual', ...init, signal })
    if (isOn(call, 'verbose')) {
      const tookMs = shell.nowMs() - startedMs
      shell.err.write(`${init.method} ${url.href} → ${response.status}, ${tookMs} ms\n`)
    }
    return response
  } catch (cause) {
    if (shell.signal.aborted || init.signal?.aborted === true) throw cause
    const why = timeout.aborted
      ? `no answer in ${REQUEST_TIMEOUT_MS / 1_000} s`
      : describeCause(cause)
    throw new CommandFault(`${url.origin} cannot be reached: ${why}.`, { remedy })
  }
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause
  if (inner instanceof Error && 'code' in inner) return String(inner.code)
  return inner instanceof Error ? inner.message : cause.message
}
