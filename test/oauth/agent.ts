/**
 * What every client of this suite does, whoever wrote it: log a person in, list, call, refresh. Each file
 * beside this one turns one client into a LoginAgent; checks.ts judges all of them alike.
 */
import type { Agent } from '../clients/agent.ts'

/**
 * A person who gets a page of the login in a browser, and allows what it asks. Resolves with the client's own
 * callback, with everything that the browser would send there; rejects when the person does not log in.
 */
export type Person = (page: URL) => Promise<URL>

export type LoginAgent = Pick<Agent, 'call' | 'close' | 'toolNames'> & {
  /** For clients that look at a clock of their own before they send a token: it has run out. */
  expire?(): Promise<void>
  /**
   * From now on it has a client id that the server does not know. Undefined: its id is no registration, or it
   * keeps what it has.
   */
  loseClient?(): void
}

/** How a client takes the 403 of a call whose token lacks a scope, if it can read the challenge. */
export type StepUp =
  /** It brings the person a page that asks for the scope, and calls again. */
  | 'logs in'
  /** It fails, and shows the gateway's words. */
  | 'told'
  /** It fails, and its own words do not say what is missing. */
  | 'refused'

export type LoginClient = {
  /** The name shown in the table. It has the version, for which `stepUp` is known. */
  readonly name: string
  readonly stepUp: StepUp
  /** The first answer tells it to log in, and it does. */
  connect(at: { readonly mcp: string; readonly person: Person }): Promise<LoginAgent>
}

/** Where clients in this process await the person's browser: nobody listens there. */
export const CALLBACK = 'http://127.0.0.1:4711/callback'
