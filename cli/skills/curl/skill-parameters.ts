/** Collects the parameters of a skill, and the places of those that have no default place. */
import type { JsonObject } from '../../../core/json/json.ts'

export type Place = {
  readonly in: 'body' | 'query'
  readonly name: string
  readonly style?: 'file' | 'json'
  readonly content_type?: string
}

export class SkillParameters {
  readonly #properties = new Map<string, JsonObject>()
  readonly #places = new Map<string, Place>()

  /** Adds a parameter and returns its name, which is plain and given to no other. */
  add(wanted: string, schema: JsonObject): string {
    const plain = wanted
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, NAME_CHARS_MAX)
    const start = plain === '' ? 'value' : plain
    let name = start
    for (let number = 2; this.#properties.has(name); number += 1) name = `${start}_${number}`
    this.#properties.set(name, schema)
    return name
  }

  place(name: string, place: Place): void {
    this.#places.set(name, place)
  }

  get schema(): JsonObject {
    const names = [...this.#properties.keys()]
    const required = names.length === 0 ? {} : { required: names }
    return { type: 'object', properties: Object.fromEntries(this.#properties), ...required }
  }

  get places(): { readonly arguments?: JsonObject } {
    return this.#places.size === 0 ? {} : { arguments: Object.fromEntries(this.#places) }
  }
}

/** Leaves room for a number: models accept names of 64 characters. */
const NAME_CHARS_MAX = 60
