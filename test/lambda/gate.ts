// Steps that a sample handler and its test agree on over HTTP: the handler asks for a step and
// waits; the test sees that it arrived and releases it. The order is then certain, without timing.

import type { ServerResponse } from 'node:http'
import { startLocalServer } from './local-server.ts'

export type Gate = {
  readonly url: string
  /** Resolves once a handler waits at (or has passed) that step. */
  readonly arrived: (step: string) => Promise<void>
  /** Releases the handler that waits at that step, or the next one to reach it. */
  readonly open: (step: string) => void
  readonly stop: () => Promise<void>
}

type Step = {
  readonly arrival: PromiseWithResolvers<void>
  readonly opening: PromiseWithResolvers<void>
}

export async function startGate(): Promise<Gate> {
  const steps = new Map<string, Step>()
  const stepOf = (name: string): Step => {
    const known = steps.get(name)
    if (known !== undefined) return known
    const step = {
      arrival: Promise.withResolvers<void>(),
      opening: Promise.withResolvers<void>(),
    }
    steps.set(name, step)
    return step
  }
  const pass = async (name: string, response: ServerResponse) => {
    const step = stepOf(name)
    step.arrival.resolve()
    await step.opening.promise
    response.end()
  }
  const server = await startLocalServer((request, response) => {
    void pass((request.url ?? '/').slice(1), response)
  })
  return {
    url: server.url,
    arrived: (name) => stepOf(name).arrival.promise,
    open: (name) => stepOf(name).opening.resolve(),
    stop: server.stop,
  }
}
