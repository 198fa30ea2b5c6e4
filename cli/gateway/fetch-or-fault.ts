/**
 * Sends one request of a command. Follows no redirect, and turns trouble of the network into a
 * CommandFault.
 */
import { type Invocation, isOn } from '../command/command.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { fetchAfresh } from './fetch-afresh.ts'
import { describeTrouble } from './network-trouble.ts'

/** Timeout of a request; longer than the 29 seconds after which API Gateway gives up. */
const REQUEST_TIMEOUT_MS = 40_000

/**
 * Returns the response, whatever its status. Throws a CommandFault if none comes; `remedy`
 * is given where the trouble is none of the gateway's.
 */
export async function fetchOrFault(
  call: Invocation,
  url: URL,
  init: RequestInit,
  remedy?: string,
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
    if (timeout.aborted) {
      const waited = `no answer in ${REQUEST_TIMEOUT_MS / 1_000} s`
      throw new CommandFault(`${url.origin} gives ${waited}.`, {
        remedy: remedy ?? 'Send the same command again; skillgate doctor looks closer.',
      })
    }
    const trouble = describeTrouble(cause, { url, env: shell.env })
    throw new CommandFault(trouble.message, {
      code: trouble.code,
      remedy: remedy ?? trouble.remedy,
    })
  }
}
