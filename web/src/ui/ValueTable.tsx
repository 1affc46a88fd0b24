/** A list of objects as a table. */

interface Props {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** How many further rows are not shown. */
  hidden: number;
}

export function ValueTable({ label, columns, rows, hidden }: Props) {
  return (
    <div className="value-table" tabIndex={0} role="region" aria-label={label}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at} title={cell}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 && <p className="faint">{hidden.toLocaleString("en")} more rows are not shown.</p>}
    </div>
  );
}
