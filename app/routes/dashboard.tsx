export default function Dashboard() {
  return <main id="main" tabIndex={-1} />;
}
