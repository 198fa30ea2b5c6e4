/** The converters; the first answer that needs one loads it. Most doors never load any. */
import type { Converters } from './converted.ts'

export const lateConverters: Converters = {
  html: async (html, limits) => {
    const { convertHtml } = await import('./convert-html.ts')
    return convertHtml(html, limits)
  },
  csv: async (text, options) => {
    const { csvToJson } = await import('./csv-table.ts')
    return csvToJson(text, options)
  },
  xml: async (text, options) => {
    const { xmlToJson } = await import('./xml-value.ts')
    return xmlToJson(text, options)
  },
}
