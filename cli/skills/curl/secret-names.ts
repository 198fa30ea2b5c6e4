/**
 * Replaces the credentials of a pasted request by names of secrets. The values are dropped: neither
 * the file nor a message has them.
 */
import { isSecretName, isSecretValue } from '../../../core/skills/definition/clear-secrets.ts'

/** A secret that the skill needs. */
export type NeededSecret = { readonly name: string; readonly what: string }

const VARIABLE = /\$\{?([A-Za-z_]\w*)\}?/

export class SecretNames {
  readonly #label: string
  readonly #names = new Map<string, NeededSecret>()

  /** `url` gives the names their start: STRIPE_TOKEN for api.stripe.com. */
  constructor(url: string) {
    this.#label = labelHost(url)
  }

  get needed(): readonly NeededSecret[] {
    return [...this.#names.values()]
  }

  /** Returns the name for a value. `suffix` says what it is; a variable keeps its own name. */
  add(value: string, suffix: string, what: string): string {
    const known = this.#names.get(value)
    if (known !== undefined) return known.name
    const own = VARIABLE.exec(value)?.[1]
    const wanted = own ?? `${this.#label}_${suffix}`
    const plain = wanted
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^[_0-9]+|_$/g, '')
    const taken = new Set(this.needed.map(({ name }) => name))
    let name = plain.slice(0, NAME_CHARS_MAX)
    for (let number = 2; taken.has(name); number += 1) {
      name = `${plain.slice(0, NAME_CHARS_MAX)}_${number}`
    }
    this.#names.set(value, { name, what })
    return name
  }

  /** Returns a template for a pair that is a credential; undefined for any other pair. */
  hide(name: string, value: string, what: string): string | undefined {
    const isSecret =
      isSecretName(name) || isSecretValue(name, value) || (isTokenName(name) && looksRandom(value))
    if (!isSecret) return undefined
    const suffix = name.replace(/^x-/i, '')
    return `{{secrets.${this.add(value, suffix, what)}}}`
  }
}

/** Leaves room for a number. */
const NAME_CHARS_MAX = 60

function isTokenName(name: string): boolean {
  return /(?:credential|key|secret|session|signature|token)$/i.test(name)
}

function looksRandom(value: string): boolean {
  return /^(?=.*\d)[\w+/=.~-]{16,}$/.test(value)
}

/** True for a text that is a variable of the shell, such as `$CITY`. */
export function isVariable(text: string): boolean {
  return new RegExp(`^${VARIABLE.source}$`).test(text)
}

/** `https://api.stripe.com/v1` → `stripe`. */
export function labelHost(url: string): string {
  const host = URL.parse(url)?.hostname ?? ''
  if (/^[\d.]+$|^\[/.test(host)) return 'api'
  const labels = host.split('.').slice(0, -1)
  const last = labels.at(-1) ?? host
  const label = last.length <= 3 && labels.length > 2 ? labels.at(-2) : last
  return (label ?? '').replace(/[^a-z0-9]/gi, '') || 'api'
}
