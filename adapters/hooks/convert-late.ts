/** The converter of HTML, loaded with the first page: a door that converts none never loads it. */
import type { ConvertHtml } from './html-to-markdown.ts'

export const convertLate: ConvertHtml = async (html, limits) => {
  const { convertHtml } = await import('./convert-html.ts')
  return convertHtml(html, limits)
}
