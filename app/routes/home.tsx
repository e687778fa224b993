export default function Home() {
  return (
    <main className="p-8">
      <h1>Growline</h1>
    </main>
  );
}
