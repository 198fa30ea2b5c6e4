/**
 * Reads single variables and collects their faults, so that an operator corrects all of them at
 * once. An empty variable counts as absent. After a fault the returned value is a stand-in that no
 * caller sees: `readConfig` refuses as soon as there is one fault.
 */
export type Environment = { readonly [name: string]: string | undefined }

export type EnvReader = {
  /** One line each: the variable, its fault, the remedy. */
  readonly faults: readonly string[]
  optional(name: string): string | undefined
  /** Required unless `otherwise` is given. `rule` completes "give …". */
  matching(name: string, pattern: Pick<RegExp, 'test'>, rule: string, otherwise?: string): string
  whole(name: string, range: { min: number; max: number; otherwise: number }): number
  choice<C extends string>(name: string, choices: readonly C[], otherwise: C): C
  /** Comma-separated; [] when absent. */
  list(name: string, fits: (entry: string) => boolean, rule: string): readonly string[]
  /** Required. Messages never repeat its value. */
  secret(name: string, charsMin: number): string
  /** Required; https, or http on this machine. */
  internalUrl(name: string): URL
}

const SHOWN_CHARS_MAX = 80
const LIST_ENTRIES_MAX = 100
/**
 * RFC 6761 6.3: names under `localhost` are this machine; LocalStack's function URLs have such
 * names.
 */
const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|(?:[a-z0-9-]+\.)*localhost)$/
const STAND_IN_URL = 'https://stand-in.invalid/'

export function envReader(env: Environment): EnvReader {
  const faults: string[] = []
  const optional = (name: string) => env[name] || undefined
  const missing = (name: string, rule: string) =>
    void faults.push(`${name}: is missing; give ${rule}`)
  const wrong = (name: string, text: string, rule: string) =>
    void faults.push(`${name}: is ${JSON.stringify(text.slice(0, SHOWN_CHARS_MAX))}; give ${rule}`)

  return {
    faults,
    optional,
    matching: (name, pattern, rule, otherwise) => {
      const text = optional(name) ?? otherwise
      if (text === undefined) missing(name, rule)
      else if (!pattern.test(text)) wrong(name, text, rule)
      return text ?? ''
    },
    whole: (name, { min, max, otherwise }) => {
      const text = optional(name)
      if (text === undefined) return otherwise
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
      if (!(value >= min && value <= max)) wrong(name, text, `a whole number from ${min} to ${max}`)
      return value
    },
    choice: (name, choices, otherwise) => {
      const text = optional(name) ?? otherwise
      const chosen = choices.find((choice) => choice === text)
      if (chosen === undefined) wrong(name, text, choices.join(' or '))
      return chosen ?? otherwise
    },
    list: (name, fits, rule) => {
      const entries = (optional(name) ?? '').split(',').map((entry) => entry.trim())
      const named = entries.filter((entry) => entry !== '')
      if (named.length > LIST_ENTRIES_MAX) {
        faults.push(`${name}: has ${named.length} entries; give at most ${LIST_ENTRIES_MAX}`)
      }
      for (const entry of named) if (!fits(entry)) wrong(name, entry, rule)
      return named
    },
    secret: (name, charsMin) => {
      const text = optional(name) ?? ''
      if (text === '') missing(name, 'the secret')
      else if (text.length < charsMin)
        faults.push(`${name}: is too short; give ${charsMin} characters or more`)
      return text
    },
    internalUrl: (name) => {
      const text = optional(name)
      if (text === undefined) missing(name, 'the function URL')
      else if (!isInternalUrl(text)) wrong(name, text, 'an https URL (http only on this machine)')
      return new URL(text !== undefined && URL.canParse(text) ? text : STAND_IN_URL)
    },
  }
}

function isInternalUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search } = new URL(text)
  if (username !== '' || password !== '' || search !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
